/**
 * Reads ELF files. In: a file or its bytes. Out: symbols, file offsets, notes. Parsing is pure; the file system is
 * touched only by {@link dev.probestream.bpf.elf.ElfFile#open}. Must not import anything of Probestream.
 */
@NullMarked
package dev.probestream.bpf.elf;

import org.jspecify.annotations.NullMarked;
