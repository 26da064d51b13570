"""From the text of a kernel to machine code: types, expressions and statements to LLVM, and LLVM's own compiler."""
