// In the place of CUDA's header, so that a file of kernels may include it for both compilers.
#include "../device.h"
