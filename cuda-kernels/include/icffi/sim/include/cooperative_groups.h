#error "icffi simulator: <cooperative_groups.h> is for GPUs only. Include it and use it under #if !defined(ICFFI_SIM), and give the kernel a plain body for the CPU."
