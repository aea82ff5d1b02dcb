#error "icffi simulator: <cub/cub.cuh> is for GPUs only. Include it and use it under #if !defined(ICFFI_SIM), and give the kernel a plain body for the CPU."
