"""Texts that become parts of kernels as they stand. Nobody imports them: the emitter reads them (`explorer.compile.ir_module`)."""
