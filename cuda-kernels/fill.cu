// Filling a buffer with one value. By size, not by type: what a float's bits mean is no concern
// of a fill.
#include <icffi.h>

namespace {

template <class T>
__global__ void fill(icffi::Out<T> out, T value) {
    for (std::uint64_t i = icffi::thread_index(); i < out.len; i += icffi::thread_count()) {
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
