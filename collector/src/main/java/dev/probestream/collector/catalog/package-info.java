/**
 * Lists the available probes. Input: a file, a process or the kernel. Output, to a {@link
 * dev.probestream.collector.catalog.CatalogReader}: USDT probes, functions and tracepoints, each with its spec. Reads
 * ELF files, /proc and tracefs, and loads nothing into the kernel. Must not import the steps after resolve (program,
 * event, publish) nor {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.collector.catalog;

import org.jspecify.annotations.NullMarked;
