// ICFFI_LAUNCH on the simulator: the kernel becomes an operation of the simulated stream.
#ifndef ICFFI_SIM_LAUNCH_H
#define ICFFI_SIM_LAUNCH_H

#include <new>
#include <tuple>

namespace icffi::sim {

// A buffer that a launch was given: checked when the launch is made and when it runs.
struct Buffer {
    const void* ptr;
    std::uint64_t bytes;
    std::uint32_t writes;
    std::uint32_t reserved;
};

// A kernel with its arguments. `run` runs threads of a block, any number of times, on any stack;
// `drop` frees the arguments and is called exactly once, whatever became of the launch.
struct Kernel {
    const char* name;
    std::uint64_t shared_limit;
    void (*run)(const void* arguments, Block* block);
    void (*drop)(void* arguments);
    void* arguments;
};

extern "C" cudaError_t icffi_sim_launch(const LaunchParams* params, const Kernel* kernel,
                                        const Buffer* buffers, std::size_t count) noexcept;

template <class T>
inline void add_buffer(const T&, Buffer*, std::size_t&) {}
template <class T>
inline void add_buffer(const BufferDesc<T>& desc, Buffer* buffers, std::size_t& count) {
    // A length that can't be is found by the check of the bounds.
    std::uint64_t bytes;
    if (__builtin_mul_overflow(desc.len, std::uint64_t(sizeof(T)), &bytes)) bytes = UINT64_MAX;
    buffers[count++] = {const_cast<const std::remove_cv_t<T>*>(desc.ptr), bytes,
                        std::uint32_t(!std::is_const_v<T>), 0};
}

// Dynamic shared memory beyond this has to be allowed, as on a device.
inline constexpr std::uint64_t default_shared = 48 * 1024;
inline constexpr std::uint64_t largest_shared = 227 * 1024;

template <auto Function>
struct Launcher;

template <class... P, void (*Function)(P...)>
struct Launcher<Function> {
    static_assert((std::is_trivially_copyable_v<P> && ...),
                  "a kernel's parameters are copied to the device byte by byte");
    using Arguments = std::tuple<P...>;
    inline static std::uint64_t shared_limit = default_shared;

    static void run(const void* pointer, Block* state) noexcept {
        // A copy of our own: nothing that the kernel writes can change it, so that the compiler
        // keeps it in registers over the loop.
        const Arguments arguments = *static_cast<const Arguments*>(pointer);
        here.state = state;
        here.dynamic_shared = state->dynamic_shared;
        here.block = {state->index[0], state->index[1], state->index[2]};
        here.block_dim = dim3(state->block[0], state->block[1], state->block[2]);
        here.grid_dim = dim3(state->grid[0], state->grid[1], state->grid[2]);
        const std::uint32_t width = state->block[0], height = state->block[1];
        // `next` is read anew each time: while a thread waits, others are run from another stack.
        if (height == 1 && state->block[2] == 1) {
            here.thread = {0, 0, 0};
            for (std::uint32_t t; (t = state->next) < state->threads;) {
                state->next = t + 1;
                here.thread.x = t;
                call(arguments);
            }
            return;
        }
        for (std::uint32_t t; (t = state->next) < state->threads;) {
            state->next = t + 1;
            here.thread = {t % width, t / width % height, t / width / height};
            call(arguments);
        }
    }

    static void call(const Arguments& arguments) {
        std::apply([](const P&... p) { Function(p...); }, arguments);
    }

    static void drop(void* arguments) { delete static_cast<Arguments*>(arguments); }

    static cudaError_t launch(const char* name, const LaunchParams& params, P... args) noexcept {
        Buffer buffers[sizeof...(P) + 1];
        std::size_t count = 0;
        (add_buffer(args, buffers, count), ...);
        auto* arguments = new (std::nothrow) Arguments(args...);
        if (arguments == nullptr) return cudaErrorMemoryAllocation;
        const Kernel kernel = {name, shared_limit, run, drop, arguments};
        return icffi_sim_launch(&params, &kernel, buffers, count);
    }
};

template <auto Function, class... A>
inline cudaError_t launch(const char* name, const LaunchParams& params, const A&... args) {
    return Launcher<Function>::launch(name, params, args...);
}

template <auto Function>
inline cudaError_t allow_shared(std::uint64_t bytes) {
    if (bytes > largest_shared) return cudaErrorInvalidValue;
    Launcher<Function>::shared_limit = bytes;
    return cudaSuccess;
}

}  // namespace icffi::sim

#endif
