// What the simulator can't do: a use is an error of the compiler, with a sentence.
#ifndef ICFFI_SIM_UNAVAILABLE_H
#define ICFFI_SIM_UNAVAILABLE_H

#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define ICFFI_SIM_UNAVAILABLE(why) __attribute__((unavailable("icffi simulator: " why)))
#endif
#endif
#ifndef ICFFI_SIM_UNAVAILABLE
#define ICFFI_SIM_UNAVAILABLE(why) __attribute__((error("icffi simulator: " why)))
#endif

ICFFI_SIM_UNAVAILABLE("which lanes are active is unknown on the CPU; pass a mask that you know")
unsigned __activemask();
ICFFI_SIM_UNAVAILABLE("warp matching is not simulated; write an #if defined(ICFFI_SIM) body")
unsigned __match_any_sync(unsigned mask, unsigned long long value);
ICFFI_SIM_UNAVAILABLE("warp matching is not simulated; write an #if defined(ICFFI_SIM) body")
unsigned __match_all_sync(unsigned mask, unsigned long long value, int* predicate);
ICFFI_SIM_UNAVAILABLE("use __syncthreads and shared memory; voting barriers are not simulated")
int __syncthreads_count(int predicate);
ICFFI_SIM_UNAVAILABLE("use __syncthreads and shared memory; voting barriers are not simulated")
int __syncthreads_and(int predicate);
ICFFI_SIM_UNAVAILABLE("use __syncthreads and shared memory; voting barriers are not simulated")
int __syncthreads_or(int predicate);
ICFFI_SIM_UNAVAILABLE("a clock of the device does not exist on the CPU")
long long clock64();
ICFFI_SIM_UNAVAILABLE("a wrapper never synchronizes; let the caller do it")
cudaError_t cudaDeviceSynchronize();
ICFFI_SIM_UNAVAILABLE("a wrapper never synchronizes; let the caller do it")
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

#endif
