/**
 * Objects that clang compiled for BPF. In: the bytes of a {@code .bpf.o}. Out: an
 * {@link dev.probestream.bpf.object.ObjectSpec}, whose variables can be set, and then maps and programs for the kernel at
 * hand ({@link dev.probestream.bpf.kernel.ObjectsSpec}): subprograms are linked, relocations are applied.
 *
 * <p>Pure, with two exceptions: {@link dev.probestream.bpf.object.ObjectFile#read} reads the file and
 * {@link dev.probestream.bpf.object.ObjectSpec#load} asks the kernel for its types and loads. The rules are those of
 * tools/lib/bpf in the kernel's sources, of version 6.18.
 */
@NullMarked
package dev.probestream.bpf.object;

import org.jspecify.annotations.NullMarked;
