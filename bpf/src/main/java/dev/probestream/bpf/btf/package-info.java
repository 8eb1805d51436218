/**
 * Type information (BTF) of the kernel and of objects of clang. In: BTF bytes. Out: type ids, the offsets of the fields of
 * structures, the numbers of CO-RE relocations, and the bytes that the kernel loads.
 * Parsing is pure; the file system is touched only by {@link dev.probestream.bpf.btf.BtfFile#ofKernel}. Must not import
 * anything of Probestream.
 */
@NullMarked
package dev.probestream.bpf.btf;

import org.jspecify.annotations.NullMarked;
