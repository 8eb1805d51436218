/**
 * The event loops of Node, live. Comes in: what a live collection of the probes of {@link
 * dev.probestream.cli.loop.LoopProbes} publishes; goes out: tables of the loops' phases, or each slow turn when it is
 * over, as text or JSON. Must not import picocli nor the commands.
 */
@NullMarked
package dev.probestream.cli.loop;

import org.jspecify.annotations.NullMarked;
