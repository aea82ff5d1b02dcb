// CUDA C++ for the host's compiler: what a kernel needs to run on the simulator.
// No header of CUDA is read. What can't be done says so when it is compiled.
#ifndef ICFFI_SIM_DEVICE_H
#define ICFFI_SIM_DEVICE_H

#if defined(__CUDACC__)
#error "ICFFI_SIM is for the host's C++ compiler: do not define it for nvcc"
#endif

#include "types.h"

// Every function is a function of the host here.
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
// The simulator runs one block at a time and one thread at a time, so a static variable is shared
// by just the threads of a block. `extern __shared__` is ICFFI_DYNAMIC_SHARED here.
#define __shared__ static

namespace icffi::sim {

// Part of the C interface to icffi-sim: a block of threads while it runs.
struct Block {
    // The next thread to run: whoever is done with one takes another.
    std::uint32_t next;
    std::uint32_t threads;
    std::uint32_t grid[3];
    std::uint32_t block[3];
    std::uint32_t index[3];
    std::uint32_t reserved;
    void* dynamic_shared;
};

enum class Wait : std::uint32_t { Block = 0, Warp = 1, Shuffle = 2, Ballot = 3 };

// Lets the other threads run until those that are to meet have done so.
extern "C" std::uint64_t icffi_sim_wait(Block* block, std::uint32_t thread, Wait what,
                                        std::uint32_t mask, std::uint64_t value,
                                        std::uint32_t source) noexcept;

// The thread that runs.
struct Here {
    uint3 thread;
    uint3 block;
    dim3 block_dim;
    dim3 grid_dim;
    Block* state;
    void* dynamic_shared;
};
inline Here here = {};

inline std::uint32_t linear_thread() {
    return here.thread.x +
           here.block_dim.x * (here.thread.y + here.block_dim.y * here.thread.z);
}

inline std::uint64_t wait(Wait what, std::uint32_t mask = 0, std::uint64_t value = 0,
                          std::uint32_t source = 0) {
    const uint3 me = here.thread;
    const std::uint64_t result =
        icffi_sim_wait(here.state, linear_thread(), what, mask, value, source);
    here.thread = me;
    return result;
}

}  // namespace icffi::sim

inline constexpr const uint3& threadIdx = icffi::sim::here.thread;
inline constexpr const uint3& blockIdx = icffi::sim::here.block;
inline constexpr const dim3& blockDim = icffi::sim::here.block_dim;
inline constexpr const dim3& gridDim = icffi::sim::here.grid_dim;
inline constexpr int warpSize = 32;

inline void __syncthreads() { icffi::sim::wait(icffi::sim::Wait::Block); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

#include "atomics.h"
#include "math.h"
#include "unavailable.h"
#include "warp.h"

#endif
