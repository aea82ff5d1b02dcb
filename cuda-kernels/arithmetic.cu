// Sums and products, element by element. Buffers of one call have one length: the caller checks.
// Integers wrap around: signed ones come as unsigned, whose bits are the same.
#include <icffi.h>

namespace {

template <class T>
__global__ void scale(icffi::Out<T> x, T factor) {
    for (std::uint64_t i = icffi::thread_index(); i < x.len; i += icffi::thread_count()) {
        x[i] = x[i] * factor;
    }
}

template <class T>
__global__ void add(icffi::In<T> x, icffi::In<T> y, icffi::Out<T> out) {
    for (std::uint64_t i = icffi::thread_index(); i < out.len; i += icffi::thread_count()) {
        out[i] = x[i] + y[i];
    }
}

template <class T>
__global__ void multiply(icffi::In<T> x, icffi::In<T> y, icffi::Out<T> out) {
    for (std::uint64_t i = icffi::thread_index(); i < out.len; i += icffi::thread_count()) {
        out[i] = x[i] * y[i];
    }
}

}  // namespace

ICFFI_KERNEL(scale_f32)(icffi::LaunchParams params, icffi::Out<float> x, float factor) {
    return ICFFI_LAUNCH(scale<float>, params, x, factor);
}

ICFFI_KERNEL(add_f32)(icffi::LaunchParams params, icffi::In<float> x, icffi::In<float> y,
                      icffi::Out<float> out) {
    return ICFFI_LAUNCH(add<float>, params, x, y, out);
}

ICFFI_KERNEL(multiply_f32)(icffi::LaunchParams params, icffi::In<float> x, icffi::In<float> y,
                           icffi::Out<float> out) {
    return ICFFI_LAUNCH(multiply<float>, params, x, y, out);
}

ICFFI_KERNEL(scale_f64)(icffi::LaunchParams params, icffi::Out<double> x, double factor) {
    return ICFFI_LAUNCH(scale<double>, params, x, factor);
}

ICFFI_KERNEL(add_f64)(icffi::LaunchParams params, icffi::In<double> x, icffi::In<double> y,
                      icffi::Out<double> out) {
    return ICFFI_LAUNCH(add<double>, params, x, y, out);
}

ICFFI_KERNEL(multiply_f64)(icffi::LaunchParams params, icffi::In<double> x, icffi::In<double> y,
                           icffi::Out<double> out) {
    return ICFFI_LAUNCH(multiply<double>, params, x, y, out);
}

ICFFI_KERNEL(scale_u32)(icffi::LaunchParams params, icffi::Out<std::uint32_t> x, std::uint32_t factor) {
    return ICFFI_LAUNCH(scale<std::uint32_t>, params, x, factor);
}

ICFFI_KERNEL(add_u32)(icffi::LaunchParams params, icffi::In<std::uint32_t> x, icffi::In<std::uint32_t> y,
                      icffi::Out<std::uint32_t> out) {
    return ICFFI_LAUNCH(add<std::uint32_t>, params, x, y, out);
}

ICFFI_KERNEL(multiply_u32)(icffi::LaunchParams params, icffi::In<std::uint32_t> x, icffi::In<std::uint32_t> y,
                           icffi::Out<std::uint32_t> out) {
    return ICFFI_LAUNCH(multiply<std::uint32_t>, params, x, y, out);
}

ICFFI_KERNEL(scale_u64)(icffi::LaunchParams params, icffi::Out<std::uint64_t> x, std::uint64_t factor) {
    return ICFFI_LAUNCH(scale<std::uint64_t>, params, x, factor);
}

ICFFI_KERNEL(add_u64)(icffi::LaunchParams params, icffi::In<std::uint64_t> x, icffi::In<std::uint64_t> y,
                      icffi::Out<std::uint64_t> out) {
    return ICFFI_LAUNCH(add<std::uint64_t>, params, x, y, out);
}

ICFFI_KERNEL(multiply_u64)(icffi::LaunchParams params, icffi::In<std::uint64_t> x, icffi::In<std::uint64_t> y,
                           icffi::Out<std::uint64_t> out) {
    return ICFFI_LAUNCH(multiply<std::uint64_t>, params, x, y, out);
}
