/**
 * The probe sets that come with Probestream. Comes in: the name of a set, of a group of sets, or a spec; goes out: {@link
 * dev.probestream.collector.probe.ProbeSpec}s. Reads nothing but the YAML resources of the sets and of the versions of
 * Node.js.
 */
@NullMarked
package dev.probestream.collector.probe.preset;

import org.jspecify.annotations.NullMarked;
