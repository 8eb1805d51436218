/**
 * Lines that people already know. Comes in: what was typed, in the spelling of our own specs, of bcc's trace or of
 * bpftrace; goes out: {@link dev.probestream.collector.dialect.TraceLine}s, each a spec of our grammar and the message to
 * print. The foreign spellings are translated into text of our grammar and read by {@code ProbeSpec.parse}; what cannot
 * be translated whole is refused with its place. Does no I/O; must not import the kernel layer nor the steps behind
 * the spec (resolve, program, event).
 *
 * <p>Sources: bcc's tools/trace.py and its manual trace(8); bpftrace's reference guide (docs/reference_guide.md).
 */
@NullMarked
package dev.probestream.collector.dialect;

import org.jspecify.annotations.NullMarked;
