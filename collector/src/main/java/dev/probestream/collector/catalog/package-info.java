/**
 * Which probes there are. Comes in: a file, a process or the kernel; goes out, to a {@link
 * dev.probestream.collector.catalog.CatalogReader}: USDT probes, functions, tracepoints, each with the spelling a probe
 * spec has for it. Reads ELF files, /proc and tracefs, and loads nothing into the kernel. Must not import the steps
 * behind resolve (program, event, publish) nor {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.collector.catalog;

import org.jspecify.annotations.NullMarked;
