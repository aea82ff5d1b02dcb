// Warps of 32 threads. The lanes named by `mask` that still run meet at each of these calls.
#ifndef ICFFI_SIM_WARP_H
#define ICFFI_SIM_WARP_H

#include <cstring>
#include <type_traits>

namespace icffi::sim {

template <class T>
inline T shuffle(std::uint32_t mask, T value, std::uint32_t lane_from) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                  "a shuffle moves values of at most 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = wait(Wait::Shuffle, mask, bits, lane_from);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

// Lanes are counted within groups of `width`, which is a power of two.
struct Lane {
    int lane, first, width;
    explicit Lane(int width) : lane(int(linear_thread() % 32)), first(lane & ~(width - 1)), width(width) {}
    std::uint32_t or_own(int from) const {
        return std::uint32_t(from >= first && from < first + width ? from : lane);
    }
};

}  // namespace icffi::sim

inline void __syncwarp(unsigned mask = 0xffffffffu) {
    icffi::sim::wait(icffi::sim::Wait::Warp, mask);
}
template <class T>
inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
    const icffi::sim::Lane me(width);
    return icffi::sim::shuffle(mask, value, std::uint32_t(me.first + (from & (width - 1))));
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const icffi::sim::Lane me(width);
    return icffi::sim::shuffle(mask, value, me.or_own(me.lane + int(delta)));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    const icffi::sim::Lane me(width);
    return icffi::sim::shuffle(mask, value, me.or_own(me.lane - int(delta)));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
    const icffi::sim::Lane me(width);
    return icffi::sim::shuffle(mask, value, me.or_own(me.lane ^ lane_mask));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return unsigned(icffi::sim::wait(icffi::sim::Wait::Ballot, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

#endif
