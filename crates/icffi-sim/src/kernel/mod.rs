//! Kernels compiled for the CPU, by `cuda-kernels/include/icffi.h` with `ICFFI_SIM` defined.
//!
//! A launch becomes an operation of its stream. When it runs, blocks run one after the other. The
//! threads of a block are the iterations of a loop in C++, on one stack, until one of them has to
//! wait for others (a barrier, a shuffle): then that stack, with the thread on it, is put aside
//! and another stack goes on with the loop. A kernel without barriers never leaves the loop.

mod abi;
mod block;
mod fiber;
mod launch;

#[cfg(test)]
mod tests;
