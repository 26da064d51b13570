"""From model functions to compiled kernels, and kernels on disk. Numba and LLVM are used here alone."""
