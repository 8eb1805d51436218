/**
 * The command {@code loop}: prints tables of the phases of event loops, or each slow turn, from a live collection of the
 * probes of {@link dev.probestream.cli.loop.LoopProbes}, as text or JSON.
 */
@NullMarked
package dev.probestream.cli.loop;

import org.jspecify.annotations.NullMarked;
