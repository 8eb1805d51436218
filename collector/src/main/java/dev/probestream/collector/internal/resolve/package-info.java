/**
 * Where a probe sits. Comes in: {@link dev.probestream.collector.probe.ProbeSpec}s and a process; goes out: {@link
 * dev.probestream.collector.internal.resolve.ProbeMatch}s, which name files the kernel can open and offsets in them. Reads
 * /proc and ELF files. Must not import the steps behind it (program, event, publish).
 */
@NullMarked
package dev.probestream.collector.internal.resolve;

import org.jspecify.annotations.NullMarked;
