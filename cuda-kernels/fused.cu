// A product and a sum in one: axpy in place, and the fused multiply-add of three buffers.
#include <icffi.h>

namespace {

template <class T>
__global__ void axpy(icffi::In<T> x, icffi::Out<T> y, T a) {
    for (std::uint64_t i = icffi::thread_index(); i < y.len; i += icffi::thread_count()) {
        y[i] = a * x[i] + y[i];
    }
}

// One rounding, also where the compiler would not fuse on its own.
__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return fma(a, b, c); }

template <class T>
__global__ void multiply_add(icffi::In<T> a, icffi::In<T> b, icffi::In<T> c, icffi::Out<T> out) {
    for (std::uint64_t i = icffi::thread_index(); i < out.len; i += icffi::thread_count()) {
        out[i] = fused(a[i], b[i], c[i]);
    }
}

}  // namespace

ICFFI_KERNEL(axpy_f32)(icffi::LaunchParams params, icffi::In<float> x, icffi::Out<float> y, float a) {
    return ICFFI_LAUNCH(axpy<float>, params, x, y, a);
}

ICFFI_KERNEL(fma_f32)(icffi::LaunchParams params, icffi::In<float> a, icffi::In<float> b,
                      icffi::In<float> c, icffi::Out<float> out) {
    return ICFFI_LAUNCH(multiply_add<float>, params, a, b, c, out);
}

ICFFI_KERNEL(axpy_f64)(icffi::LaunchParams params, icffi::In<double> x, icffi::Out<double> y, double a) {
    return ICFFI_LAUNCH(axpy<double>, params, x, y, a);
}

ICFFI_KERNEL(fma_f64)(icffi::LaunchParams params, icffi::In<double> a, icffi::In<double> b,
                      icffi::In<double> c, icffi::Out<double> out) {
    return ICFFI_LAUNCH(multiply_add<double>, params, a, b, c, out);
}
