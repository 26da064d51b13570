"""From model functions to compiled kernels, and kernels on disk. LLVM is used only here."""
