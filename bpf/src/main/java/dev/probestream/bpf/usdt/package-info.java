/**
 * USDT probes of ELF files: the stapsdt notes and the locations of the arguments. In: an
 * {@link dev.probestream.bpf.elf.ElfFile}; out: {@link dev.probestream.bpf.usdt.UsdtNote}s and
 * {@link dev.probestream.bpf.usdt.UsdtArgument}s. Pure; must not import anything but {@code bpf.elf} and
 * {@code bpf.asm}.
 *
 * <p>Source of the formats: sys/sdt.h of SystemTap and its wiki page "UserSpaceProbeImplementation".
 */
@NullMarked
package dev.probestream.bpf.usdt;

import org.jspecify.annotations.NullMarked;
