// What icffi.h promises to kernels, one kernel each: the test knows what every one of them leaves.
#include <icffi.h>

namespace {

// Every index is where it should be, in three dimensions.
__global__ void indices(icffi::Out<std::uint32_t> out) {
    const std::uint64_t block =
        blockIdx.x + std::uint64_t(gridDim.x) * (blockIdx.y + std::uint64_t(gridDim.y) * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const std::uint64_t i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < out.len) {
        out[i] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * blockIdx.x +
                 10000000 * blockIdx.y + 100000000 * blockIdx.z;
    }
}

// Writes one element, which may not be there.
__global__ void touch(icffi::Out<std::uint32_t> out, std::uint64_t i) { out[i] = 7; }

// Reverses each block's stretch through shared memory. Threads beyond the end leave before the
// barrier.
__global__ void reverse(icffi::Out<std::int32_t> x) {
    ICFFI_DYNAMIC_SHARED(std::int32_t, values);
    const std::uint64_t i = icffi::thread_index();
    if (i >= x.len) return;
    const std::uint64_t begin = std::uint64_t(blockIdx.x) * blockDim.x;
    const unsigned n = unsigned(x.len - begin < blockDim.x ? x.len - begin : blockDim.x);
    values[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = values[n - 1 - threadIdx.x];
}

// For each thread of 64: what it got from the shuffles and the votes.
__global__ void warps(icffi::Out<uint4> out) {
    const unsigned t = threadIdx.x, all = 0xffffffffu;
    const std::uint64_t wide = (std::uint64_t(t) << 40) + 7;
    unsigned votes = __ballot_sync(all, t % 3 == 0);
    votes ^= __any_sync(all, t == 40) ? 1u << 31 : 0;
    votes ^= __all_sync(all, t < 32) ? 1u << 30 : 0;
    __syncwarp();
    out[t] = make_uint4(__shfl_down_sync(all, t, 3), __shfl_xor_sync(all, t, 5),
                        unsigned(__shfl_sync(all, wide, 9) >> 40), votes);
    // The two halves of a warp on their own, with the width of a quarter.
    const unsigned mask = t % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    out[t].x += 1000 * __shfl_up_sync(mask, t, 1, 8);
}

// All threads of all blocks add to the same few numbers.
__global__ void atomics(icffi::Out<std::uint32_t> u, icffi::Out<std::int32_t> i,
                        icffi::Out<float> f) {
    const std::uint32_t me = std::uint32_t(icffi::thread_index());
    atomicAdd(&u[0], 1u);
    atomicMax(&u[1], me);
    atomicMin(&u[2], me);
    atomicXor(&u[3], me);
    atomicOr(&u[4], 1u << (me % 32));
    atomicAdd(&i[0], -2);
    atomicMin(&i[1], -int(me));
    // A maximum by compare and swap.
    std::int32_t old = i[2];
    while (old < int(me)) {
        const std::int32_t seen = atomicCAS(&i[2], old, int(me));
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(&f[0], 0.5f);
}

__global__ void big_shared(icffi::Out<std::uint32_t> out, std::uint32_t words) {
    ICFFI_DYNAMIC_SHARED(std::uint32_t, values);
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) values[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = values[words - 1];
}

template <class T, unsigned Factor>
__global__ void scaled(icffi::Out<T> x) {
    if (threadIdx.x < x.len) x[threadIdx.x] *= T(Factor);
}

__global__ void scalars(icffi::Out<double> out, bool flag, std::int8_t a, std::uint16_t b,
                        std::int64_t c, float d, float4 e) {
    out[0] = (flag ? 1 : 0) + a + b + double(c) + d + e.x + e.y + e.z + e.w;
}

}  // namespace

ICFFI_KERNEL(test_indices)(icffi::LaunchParams params, icffi::Out<std::uint32_t> out) {
    return ICFFI_LAUNCH(indices, params, out);
}

ICFFI_KERNEL(test_touch)(icffi::LaunchParams params, icffi::Out<std::uint32_t> out, std::uint64_t i) {
    return ICFFI_LAUNCH(touch, params, out, i);
}

ICFFI_KERNEL(test_reverse)(icffi::LaunchParams params, icffi::Out<std::int32_t> x) {
    return ICFFI_LAUNCH(reverse, params, x);
}

ICFFI_KERNEL(test_warps)(icffi::LaunchParams params, icffi::Out<uint4> out) {
    return ICFFI_LAUNCH(warps, params, out);
}

ICFFI_KERNEL(test_atomics)(icffi::LaunchParams params, icffi::Out<std::uint32_t> u,
                           icffi::Out<std::int32_t> i, icffi::Out<float> f) {
    return ICFFI_LAUNCH(atomics, params, u, i, f);
}

ICFFI_KERNEL(test_big_shared)(icffi::LaunchParams params, icffi::Out<std::uint32_t> out,
                              bool allow) {
    if (allow) {
        if (cudaError_t e = ICFFI_ALLOW_SHARED(big_shared, params.shared_mem_bytes)) return e;
    }
    return ICFFI_LAUNCH(big_shared, params, out, std::uint32_t(params.shared_mem_bytes / 4));
}

ICFFI_KERNEL(test_scaled)(icffi::LaunchParams params, icffi::Out<short> x) noexcept {
    return ICFFI_LAUNCH((scaled<short, 3>), params, x);
}

ICFFI_KERNEL(test_scalars)(icffi::LaunchParams params, icffi::Out<double> out, bool flag,
                           std::int8_t a, std::uint16_t b, std::int64_t c, float d, float4 e) {
    return ICFFI_LAUNCH(scalars, params, out, flag, a, b, c, d, e);
}
