"""Texts that become parts of kernels unchanged. No module imports them: the emitter reads them (`explorer.compile.ir_module`)."""
