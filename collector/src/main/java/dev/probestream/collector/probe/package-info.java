/**
 * What to probe, as a value. Comes in: the text of a probe spec or the name of a preset; goes out: {@link
 * dev.probestream.collector.probe.ProbeSpec}s. Reads nothing but its own YAML resources. Must not import the kernel
 * layer ({@code dev.probestream.bpf}) nor the steps behind it (resolve, program, event).
 */
@NullMarked
package dev.probestream.collector.probe;

import org.jspecify.annotations.NullMarked;
