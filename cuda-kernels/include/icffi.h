// The C ABI between Rust and compiled kernels. docs/abi.md explains it.
//
// One file of kernels, two compilers: nvcc for a GPU, or the host's C++ compiler with ICFFI_SIM
// defined, for the simulator.
//
//     __global__ void axpy(icffi::In<float> x, icffi::Out<float> y, float a) {
//         for (uint64_t i = icffi::thread_index(); i < y.len; i += icffi::thread_count())
//             y[i] = a * x[i] + y[i];
//     }
//     ICFFI_KERNEL(axpy)(icffi::LaunchParams params, icffi::In<float> x, icffi::Out<float> y, float a) {
//         return ICFFI_LAUNCH(axpy, params, x, y, a);
//     }
#ifndef ICFFI_H
#define ICFFI_H

#if !defined(__cplusplus) || (!defined(_MSC_VER) && __cplusplus < 201703L)
#error "icffi.h needs C++17: compile with -std=c++17 (icffi-build does)"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Changes whenever a type, an offset or the meaning of a field below does.
#define ICFFI_ABI_VERSION 1

#if defined(ICFFI_SIM)
#include "icffi/sim/device.h"
#else
#include <cuda_runtime.h>
#if CUDART_VERSION < 12000
#error "icffi needs CUDA 12 or newer"
#endif
#endif

namespace icffi {

// Grid, block, dynamic shared memory and stream of one launch.
struct alignas(8) LaunchParams {
    std::uint32_t grid_x, grid_y, grid_z;
    std::uint32_t block_x, block_y, block_z;
    std::uint64_t shared_mem_bytes;
    cudaStream_t stream;
};

#if defined(ICFFI_SIM)
namespace sim {
extern "C" void icffi_sim_outside(std::uint64_t index, std::uint64_t len);

template <class T>
T& outside(std::uint64_t index, std::uint64_t len) {
    alignas(T) static thread_local unsigned char nowhere[sizeof(T)];
    icffi_sim_outside(index, len);
    return *reinterpret_cast<T*>(nowhere);
}
}  // namespace sim
#endif

// A buffer of device memory: a pointer and a length in elements.
template <class T>
struct alignas(8) BufferDesc {
    T* ptr;
    std::uint64_t len;

#if defined(ICFFI_SIM)
    // The simulator looks at every index. An element that is not there is reported and fails the
    // launch; until that ends, the access goes to a place of its own.
    T& operator[](std::uint64_t i) const { return i < len ? ptr[i] : sim::outside<T>(i, len); }
#else
    __host__ __device__ T& operator[](std::uint64_t i) const { return ptr[i]; }
#endif
    __host__ __device__ T* begin() const { return ptr; }
    __host__ __device__ T* end() const { return ptr + len; }
};

// What a kernel reads.
template <class T>
using In = BufferDesc<const T>;
// What a kernel writes, or reads and writes.
template <class T>
using Out = BufferDesc<T>;

static_assert(sizeof(void*) == 8, "icffi is for 64-bit machines");
static_assert(std::is_standard_layout_v<LaunchParams> && std::is_trivially_copyable_v<LaunchParams>);
static_assert(sizeof(LaunchParams) == 40 && alignof(LaunchParams) == 8);
static_assert(offsetof(LaunchParams, grid_x) == 0 && offsetof(LaunchParams, grid_y) == 4);
static_assert(offsetof(LaunchParams, grid_z) == 8 && offsetof(LaunchParams, block_x) == 12);
static_assert(offsetof(LaunchParams, block_y) == 16 && offsetof(LaunchParams, block_z) == 20);
static_assert(offsetof(LaunchParams, shared_mem_bytes) == 24 && offsetof(LaunchParams, stream) == 32);
static_assert(std::is_standard_layout_v<Out<char>> && std::is_trivially_copyable_v<Out<char>>);
static_assert(sizeof(In<char>) == 16 && alignof(In<char>) == 8);
static_assert(sizeof(Out<double>) == 16 && alignof(Out<double>) == 8);
static_assert(offsetof(Out<char>, ptr) == 0 && offsetof(Out<char>, len) == 8);
static_assert(sizeof(cudaError_t) == 4, "Rust reads it as an int");

// The index of this thread among all of a one-dimensional launch, and how many there are: 64 bits,
// so that a loop with this stride covers buffers beyond 2^32 elements.
__device__ __forceinline__ std::uint64_t thread_index() {
    return std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::uint64_t thread_count() {
    return std::uint64_t(gridDim.x) * blockDim.x;
}

}  // namespace icffi

// Declares the wrapper of a kernel. Its parameters in this order: icffi::LaunchParams, buffers
// (icffi::In<T>, icffi::Out<T>), scalars. It launches and returns the status of that launch; it
// never synchronizes and never throws. Not in a namespace, and not made by another macro:
// icffi-build reads the signature as it is written.
#define ICFFI_KERNEL(name) extern "C" cudaError_t icffi_##name

#if defined(ICFFI_SIM)

// Launches `kernel`, a __global__ function; the rest are LaunchParams and its arguments. A name
// with a comma in it goes in parentheses: ICFFI_LAUNCH((k<float, 4>), params, x).
#define ICFFI_LAUNCH(kernel, ...) ::icffi::sim::launch<(kernel)>(#kernel, __VA_ARGS__)

// Before a launch with more than 48 KiB of dynamic shared memory. Returns a status.
#define ICFFI_ALLOW_SHARED(kernel, bytes) ::icffi::sim::allow_shared<(kernel)>(bytes)

// Inside a kernel: `T* name`, the dynamic shared memory of the block.
#define ICFFI_DYNAMIC_SHARED(T, name) \
    T* name = static_cast<T*>(static_cast<void*>(::icffi::sim::here.dynamic_shared))

#include "icffi/sim/launch.h"

#else

namespace icffi {

// The launch's own status, not an older error that somebody left in cudaGetLastError.
template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), const LaunchParams& params, A&&... args) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(params.grid_x, params.grid_y, params.grid_z);
    config.blockDim = dim3(params.block_x, params.block_y, params.block_z);
    config.dynamicSmemBytes = params.shared_mem_bytes;
    config.stream = params.stream;
    return cudaLaunchKernelEx(&config, kernel, static_cast<A&&>(args)...);
}

template <class... P>
cudaError_t allow_shared(void (*kernel)(P...), std::uint64_t bytes) {
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
}

}  // namespace icffi

#define ICFFI_LAUNCH(kernel, ...) ::icffi::launch((kernel), __VA_ARGS__)
#define ICFFI_ALLOW_SHARED(kernel, bytes) ::icffi::allow_shared((kernel), bytes)
#define ICFFI_DYNAMIC_SHARED(T, name)                                          \
    extern __shared__ __align__(16) unsigned char icffi_dynamic_shared_bytes[]; \
    T* name = reinterpret_cast<T*>(icffi_dynamic_shared_bytes)

#endif

#endif  // ICFFI_H
