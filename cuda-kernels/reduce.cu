// Sums over a buffer: sum and dot.
//
// One launch leaves one partial result for each block; a second launch of `sum` with one block adds
// those. Who adds what depends on the length and the shape of the launch only, so the result is the
// same to the last bit every time.
#include <icffi.h>

namespace {

constexpr unsigned warp = 32;

// The sum over the block's threads, in thread 0. To be called by all of them, of which there are
// `Threads`, a multiple of 32.
template <unsigned Threads, class T>
__device__ T block_sum(T value) {
    __shared__ T values[Threads];
    values[threadIdx.x] = value;
    __syncthreads();
    T sum = T(0);
    if (threadIdx.x < warp) {
        for (unsigned i = threadIdx.x; i < Threads; i += warp) sum += values[i];
        for (unsigned delta = warp / 2; delta > 0; delta /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, delta);
        }
    }
    return sum;
}

// Each block has a stretch of its own, walked through by its threads side by side: good for the
// GPU's memory, and for the caches of a CPU.
struct Stretch {
    std::uint64_t begin, end;
};

__device__ __forceinline__ Stretch stretch_of_block(std::uint64_t len) {
    const std::uint64_t each = len / gridDim.x, more = len % gridDim.x;
    const std::uint64_t block = blockIdx.x;
    const std::uint64_t begin = block * each + (block < more ? block : more);
    return {begin, begin + each + (block < more ? 1 : 0)};
}

template <unsigned Threads, class T>
__global__ void sum(icffi::In<T> x, icffi::Out<T> partial) {
    const Stretch stretch = stretch_of_block(x.len);
    T mine = T(0);
    for (std::uint64_t i = stretch.begin + threadIdx.x; i < stretch.end; i += Threads) mine += x[i];
    mine = block_sum<Threads>(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

template <unsigned Threads, class T>
__global__ void dot(icffi::In<T> x, icffi::In<T> y, icffi::Out<T> partial) {
    const Stretch stretch = stretch_of_block(x.len);
    T mine = T(0);
    for (std::uint64_t i = stretch.begin + threadIdx.x; i < stretch.end; i += Threads) {
        mine += x[i] * y[i];
    }
    mine = block_sum<Threads>(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

constexpr unsigned threads = 256;

// Anything else would read what was never written.
bool fits(const icffi::LaunchParams& params, std::uint64_t partials) {
    return params.block_x == threads && params.block_y == 1 && params.block_z == 1 &&
           params.grid_y == 1 && params.grid_z == 1 && params.grid_x <= partials;
}

}  // namespace

ICFFI_KERNEL(sum_f32)(icffi::LaunchParams params, icffi::In<float> x, icffi::Out<float> partial) {
    if (!fits(params, partial.len)) return cudaErrorInvalidConfiguration;
    return ICFFI_LAUNCH((sum<threads, float>), params, x, partial);
}

ICFFI_KERNEL(dot_f32)(icffi::LaunchParams params, icffi::In<float> x, icffi::In<float> y,
                      icffi::Out<float> partial) {
    if (!fits(params, partial.len)) return cudaErrorInvalidConfiguration;
    return ICFFI_LAUNCH((dot<threads, float>), params, x, y, partial);
}

ICFFI_KERNEL(sum_f64)(icffi::LaunchParams params, icffi::In<double> x, icffi::Out<double> partial) {
    if (!fits(params, partial.len)) return cudaErrorInvalidConfiguration;
    return ICFFI_LAUNCH((sum<threads, double>), params, x, partial);
}

ICFFI_KERNEL(dot_f64)(icffi::LaunchParams params, icffi::In<double> x, icffi::In<double> y,
                      icffi::Out<double> partial) {
    if (!fits(params, partial.len)) return cudaErrorInvalidConfiguration;
    return ICFFI_LAUNCH((dot<threads, double>), params, x, y, partial);
}
