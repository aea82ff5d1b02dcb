//! icffi-kernels
