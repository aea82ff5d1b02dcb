// Edges of an 8-bit picture: Sobel's two 3 x 3 filters, |across| + |down|, at most 255. Pixels beyond
// the border repeat the border's.
#include <icffi.h>

namespace {

__device__ __forceinline__ std::uint8_t edge(const std::uint8_t* above, const std::uint8_t* here,
                                             const std::uint8_t* below, std::uint64_t left,
                                             std::uint64_t x, std::uint64_t right) {
    const int across = above[right] + 2 * here[right] + below[right] - above[left] -
                       2 * here[left] - below[left];
    const int down =
        below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
    return static_cast<std::uint8_t>(min(abs(across) + abs(down), 255));
}

__global__ void sobel(icffi::In<std::uint8_t> in, icffi::Out<std::uint8_t> out,
                      std::uint64_t width, std::uint64_t height) {
    // `out.len` is width * height; the caller checks.
    for (std::uint64_t i = icffi::thread_index(); i < out.len; i += icffi::thread_count()) {
        const std::uint64_t x = i % width, y = i / width;
        const std::uint8_t* row = in.ptr + y * width;
        out[i] = edge(y > 0 ? row - width : row, row, y + 1 < height ? row + width : row,
                      x > 0 ? x - 1 : x, x, x + 1 < width ? x + 1 : x);
    }
}

}  // namespace

ICFFI_KERNEL(sobel_u8)(icffi::LaunchParams params, icffi::In<std::uint8_t> in,
                       icffi::Out<std::uint8_t> out, std::uint64_t width, std::uint64_t height) {
    return ICFFI_LAUNCH(sobel, params, in, out, width, height);
}
