// The types of CUDA that wrappers and kernels use, with CUDA's sizes, alignments and values.
#ifndef ICFFI_SIM_TYPES_H
#define ICFFI_SIM_TYPES_H

#include <cstdint>

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st* cudaStream_t;

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }

// name, scalar, alignments of the vectors of 2 and 4; those of 1 and 3 are aligned as the scalar.
#define ICFFI_SIM_VECTORS(name, scalar, two, four)                                   \
    struct name##1 { scalar x; };                                                    \
    struct alignas(two) name##2 { scalar x, y; };                                    \
    struct alignas(four) name##4 { scalar x, y, z, w; };                             \
    constexpr name##1 make_##name##1(scalar x) { return {x}; }                       \
    constexpr name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }          \
    constexpr name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) {       \
        return {x, y, z, w};                                                         \
    }
#define ICFFI_SIM_VECTOR3(name, scalar)                                              \
    struct name##3 { scalar x, y, z; };                                              \
    constexpr name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }

ICFFI_SIM_VECTORS(char, signed char, 2, 4)
ICFFI_SIM_VECTORS(uchar, unsigned char, 2, 4)
ICFFI_SIM_VECTORS(short, short, 4, 8)
ICFFI_SIM_VECTORS(ushort, unsigned short, 4, 8)
ICFFI_SIM_VECTORS(int, int, 8, 16)
ICFFI_SIM_VECTORS(uint, unsigned int, 8, 16)
ICFFI_SIM_VECTORS(longlong, long long int, 16, 16)
ICFFI_SIM_VECTORS(ulonglong, unsigned long long int, 16, 16)
ICFFI_SIM_VECTORS(float, float, 8, 16)
ICFFI_SIM_VECTORS(double, double, 16, 16)
ICFFI_SIM_VECTOR3(char, signed char)
ICFFI_SIM_VECTOR3(uchar, unsigned char)
ICFFI_SIM_VECTOR3(short, short)
ICFFI_SIM_VECTOR3(ushort, unsigned short)
ICFFI_SIM_VECTOR3(int, int)
ICFFI_SIM_VECTOR3(longlong, long long int)
ICFFI_SIM_VECTOR3(ulonglong, unsigned long long int)
ICFFI_SIM_VECTOR3(float, float)
ICFFI_SIM_VECTOR3(double, double)
#undef ICFFI_SIM_VECTORS
#undef ICFFI_SIM_VECTOR3

#endif
