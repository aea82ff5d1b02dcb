// Functions that CUDA has in the global namespace, beyond those of <cmath>.
#ifndef ICFFI_SIM_MATH_H
#define ICFFI_SIM_MATH_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define ICFFI_SIM_MIN_MAX(type)                                          \
    constexpr type min(type a, type b) { return b < a ? b : a; }         \
    constexpr type max(type a, type b) { return a < b ? b : a; }
ICFFI_SIM_MIN_MAX(int)
ICFFI_SIM_MIN_MAX(unsigned int)
ICFFI_SIM_MIN_MAX(long)
ICFFI_SIM_MIN_MAX(unsigned long)
ICFFI_SIM_MIN_MAX(long long)
ICFFI_SIM_MIN_MAX(unsigned long long)
#undef ICFFI_SIM_MIN_MAX
// These ignore a NaN, as CUDA's do.
inline float min(float a, float b) { return ::fminf(a, b); }
inline float max(float a, float b) { return ::fmaxf(a, b); }
inline double min(double a, double b) { return ::fmin(a, b); }
inline double max(double a, double b) { return ::fmax(a, b); }

template <class T>
inline T __ldg(const T* address) {
    return *address;
}

// Macros, as some C libraries have begun to declare functions of these names.
#define rsqrtf(x) (1.0f / ::sqrtf(x))
#define rsqrt(x) (1.0 / ::sqrt(x))

inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return ::expf(x); }
inline float __logf(float x) { return ::logf(x); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

namespace icffi::sim {

template <class To, class From>
inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

}  // namespace icffi::sim

inline int __float_as_int(float x) { return icffi::sim::bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return icffi::sim::bits_as<unsigned>(x); }
inline float __int_as_float(int x) { return icffi::sim::bits_as<float>(x); }
inline float __uint_as_float(unsigned x) { return icffi::sim::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return icffi::sim::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return icffi::sim::bits_as<double>(x); }

#endif
