/**
 * Prints a catalog of probes. Comes in, one by one through {@link dev.probestream.collector.catalog.CatalogReader}: the
 * probes of a file, a process or the kernel; goes out: lines of text or of JSON.
 *
 * <p>Must not import: {@code dev.probestream.convert}, {@code dev.probestream.schema}, {@code dev.probestream.bpf.kernel}.
 */
@NullMarked
package dev.probestream.cli.list;

import org.jspecify.annotations.NullMarked;
