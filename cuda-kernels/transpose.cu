// The transpose of a matrix, by tiles in shared memory: both the reads and the writes of a warp are
// then of neighbouring addresses.
#include <icffi.h>

namespace {

constexpr unsigned tile = 32;
// Threads of a block: `tile` by `rows`, each for tile / rows elements.
constexpr unsigned rows = 8;

// `in` has `height` rows of `width` elements, `out` has `width` rows of `height`. A block does tile
// after tile, as there may be more than a grid can have.
__global__ void transpose(icffi::In<float> in, icffi::Out<float> out, std::uint64_t width,
                          std::uint64_t height) {
    // One column more than needed, so that a column's elements lie in different banks.
    __shared__ float values[tile][tile + 1];
    const std::uint64_t across = (width + tile - 1) / tile, down = (height + tile - 1) / tile;
    for (std::uint64_t t = blockIdx.x; t < across * down; t += gridDim.x) {
        const std::uint64_t left = t % across * tile, top = t / across * tile;
        for (unsigned y = threadIdx.y; y < tile; y += rows) {
            const std::uint64_t column = left + threadIdx.x, row = top + y;
            if (column < width && row < height) values[y][threadIdx.x] = in[row * width + column];
        }
        __syncthreads();
        for (unsigned y = threadIdx.y; y < tile; y += rows) {
            const std::uint64_t column = top + threadIdx.x, row = left + y;
            if (column < height && row < width) out[row * height + column] = values[threadIdx.x][y];
        }
        // The next tile must not overwrite what others still read.
        __syncthreads();
    }
}

}  // namespace

ICFFI_KERNEL(transpose_f32)(icffi::LaunchParams params, icffi::In<float> in, icffi::Out<float> out,
                            std::uint64_t width, std::uint64_t height) {
    const bool shape = params.block_x == tile && params.block_y == rows && params.block_z == 1 &&
                       params.grid_y == 1 && params.grid_z == 1;
    if (!shape) return cudaErrorInvalidConfiguration;
    return ICFFI_LAUNCH(transpose, params, in, out, width, height);
}
