/**
 * Parses command lines in the syntaxes of probe specs, of bcc's trace and argdist, and of bpftrace. Output: {@link
 * dev.probestream.collector.dialect.TraceLine}s, each a probe spec and the message to print. Lines of bcc and bpftrace
 * are translated into the text of a probe spec and parsed by {@code SpecParser.parse}; a line that cannot be translated
 * completely is rejected with the position. Does no I/O; must not import the kernel layer nor the steps after the spec
 * (resolve, program, event).
 *
 * <p>Sources: bcc's tools/trace.py and its manual trace(8); bpftrace's reference guide (docs/reference_guide.md).
 */
@NullMarked
package dev.probestream.collector.dialect;

import org.jspecify.annotations.NullMarked;
