/**
 * Creates maps and reads and writes what they hold. In: {@link dev.probestream.bpf.map.MapSpec}s. Out: {@link
 * dev.probestream.bpf.map.BpfMap}s, and arrays mapped into this process. Whoever creates a map closes it. Must not import
 * {@code bpf.kernel}, whose programs use maps.
 */
@NullMarked
package dev.probestream.bpf.map;

import org.jspecify.annotations.NullMarked;
