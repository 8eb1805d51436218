/**
 * The command {@code trace}: prints the events of a live collection as lines of text or JSON. Lines are written at once
 * after each read of the ring. The code per event allocates only what a line needs.
 */
@NullMarked
package dev.probestream.cli.trace;

import org.jspecify.annotations.NullMarked;
