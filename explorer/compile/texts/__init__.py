"""Texts that become parts of kernels unchanged. The emitter reads them (`compile.emitter.ir_module`)."""
