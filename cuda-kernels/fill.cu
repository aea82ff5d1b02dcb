// Filling a buffer with one value. By size, not by type: what a float's bits mean is no concern
// of a fill.
#include <icffi.h>

namespace {

// As many elements as fit into 16 bytes are written at once, where the address allows it.
template <class T>
__global__ void fill(icffi::Out<T> out, T value) {
    constexpr unsigned per_store = sizeof(uint4) / sizeof(T);
    union {
        T elements[per_store];
        uint4 all;
    } pattern;
    for (unsigned i = 0; i < per_store; ++i) pattern.elements[i] = value;

    const bool aligned = reinterpret_cast<std::uintptr_t>(out.ptr) % sizeof(uint4) == 0;
    const std::uint64_t stores = aligned ? out.len / per_store : 0;
    uint4* const wide = reinterpret_cast<uint4*>(out.ptr);
    for (std::uint64_t i = icffi::thread_index(); i < stores; i += icffi::thread_count()) {
        wide[i] = pattern.all;
    }
    for (std::uint64_t i = stores * per_store + icffi::thread_index(); i < out.len;
         i += icffi::thread_count()) {
        out[i] = value;
    }
}

}  // namespace

ICFFI_KERNEL(fill_u8)(icffi::LaunchParams params, icffi::Out<std::uint8_t> out, std::uint8_t value) {
    return ICFFI_LAUNCH(fill<std::uint8_t>, params, out, value);
}

ICFFI_KERNEL(fill_u16)(icffi::LaunchParams params, icffi::Out<std::uint16_t> out, std::uint16_t value) {
    return ICFFI_LAUNCH(fill<std::uint16_t>, params, out, value);
}

ICFFI_KERNEL(fill_u32)(icffi::LaunchParams params, icffi::Out<std::uint32_t> out, std::uint32_t value) {
    return ICFFI_LAUNCH(fill<std::uint32_t>, params, out, value);
}

ICFFI_KERNEL(fill_u64)(icffi::LaunchParams params, icffi::Out<std::uint64_t> out, std::uint64_t value) {
    return ICFFI_LAUNCH(fill<std::uint64_t>, params, out, value);
}
