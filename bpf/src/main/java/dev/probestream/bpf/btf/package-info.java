/**
 * The kernel's own types. Comes in: BTF bytes; goes out: type ids, and where the fields of its structures are. Parsing
 * is pure; the file system is touched only by {@link dev.probestream.bpf.btf.BtfFile#ofKernel}. Must not import anything
 * of Probestream.
 */
@NullMarked
package dev.probestream.bpf.btf;

import org.jspecify.annotations.NullMarked;
