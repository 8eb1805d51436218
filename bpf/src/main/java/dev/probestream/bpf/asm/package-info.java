/**
 * Writes BPF programs: calls on an {@link dev.probestream.bpf.asm.Assembler} come in, a list of
 * {@link dev.probestream.bpf.asm.Instruction} goes out, in the encoding that the kernel loads (linux/bpf.h,
 * Documentation/bpf/standardization/instruction-set.rst).
 *
 * <p>Pure: no I/O and no native call. Must not import any other package of Probestream.
 */
@NullMarked
package dev.probestream.bpf.asm;

import org.jspecify.annotations.NullMarked;
