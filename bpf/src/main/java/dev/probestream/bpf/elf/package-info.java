/**
 * What an ELF file says about its functions. Comes in: a file or its bytes; goes out: symbols, file offsets, notes.
 * Parsing is pure; the file system is touched only by {@link dev.probestream.bpf.elf.ElfFile#open}. Must not import
 * anything of Probestream.
 */
@NullMarked
package dev.probestream.bpf.elf;

import org.jspecify.annotations.NullMarked;
