// Atomic functions. One thread of a kernel runs at a time and nothing else touches device memory
// meanwhile, so a plain read and write is atomic. The types are those that CUDA has.
#ifndef ICFFI_SIM_ATOMICS_H
#define ICFFI_SIM_ATOMICS_H

namespace icffi::sim {

template <class T, class F>
inline T update(T* address, F change) {
    const T old = *address;
    *address = change(old);
    return old;
}

}  // namespace icffi::sim

#define ICFFI_SIM_ATOMIC(name, type, expression)                                      \
    inline type name(type* address, type value) {                                     \
        return ::icffi::sim::update(address, [value](type old) -> type { return expression; }); \
    }
// Signed sums wrap around, as they do on a GPU.
ICFFI_SIM_ATOMIC(atomicAdd, int, int(unsigned(old) + unsigned(value)))
ICFFI_SIM_ATOMIC(atomicAdd, unsigned int, old + value)
ICFFI_SIM_ATOMIC(atomicAdd, unsigned long long, old + value)
ICFFI_SIM_ATOMIC(atomicAdd, float, old + value)
ICFFI_SIM_ATOMIC(atomicAdd, double, old + value)
ICFFI_SIM_ATOMIC(atomicSub, int, int(unsigned(old) - unsigned(value)))
ICFFI_SIM_ATOMIC(atomicSub, unsigned int, old - value)
#define ICFFI_SIM_ATOMIC_INTEGERS(name, expression)      \
    ICFFI_SIM_ATOMIC(name, int, expression)              \
    ICFFI_SIM_ATOMIC(name, unsigned int, expression)     \
    ICFFI_SIM_ATOMIC(name, unsigned long long, expression)
ICFFI_SIM_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
ICFFI_SIM_ATOMIC_INTEGERS(atomicMax, value > old ? value : old)
ICFFI_SIM_ATOMIC_INTEGERS(atomicAnd, old & value)
ICFFI_SIM_ATOMIC_INTEGERS(atomicOr, old | value)
ICFFI_SIM_ATOMIC_INTEGERS(atomicXor, old ^ value)
ICFFI_SIM_ATOMIC(atomicMin, long long, value < old ? value : old)
ICFFI_SIM_ATOMIC(atomicMax, long long, value > old ? value : old)
ICFFI_SIM_ATOMIC_INTEGERS(atomicExch, (void(old), value))
ICFFI_SIM_ATOMIC(atomicExch, float, (void(old), value))
ICFFI_SIM_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
ICFFI_SIM_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#undef ICFFI_SIM_ATOMIC_INTEGERS
#undef ICFFI_SIM_ATOMIC

#define ICFFI_SIM_CAS(type)                                                       \
    inline type atomicCAS(type* address, type expected, type value) {             \
        return ::icffi::sim::update(                                              \
            address, [=](type old) -> type { return old == expected ? value : old; }); \
    }
ICFFI_SIM_CAS(int)
ICFFI_SIM_CAS(unsigned short)
ICFFI_SIM_CAS(unsigned int)
ICFFI_SIM_CAS(unsigned long long)
#undef ICFFI_SIM_CAS

#endif
