/**
 * The kernel's type information (BTF). In: BTF bytes. Out: type ids, and the offsets of the fields of structures.
 * Parsing is pure; the file system is touched only by {@link dev.probestream.bpf.btf.BtfFile#ofKernel}. Must not import
 * anything of Probestream.
 */
@NullMarked
package dev.probestream.bpf.btf;

import org.jspecify.annotations.NullMarked;
