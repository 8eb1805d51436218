/**
 * Live lines. Comes in: what a live collection publishes, event by event; goes out: lines of text or JSON on standard
 * output, written in one go after every reading of the ring. The lines themselves, where they go and what names and losses
 * are told with them is there for other live publishers, too. Nothing is allocated per event but what a line needs. Must
 * not import picocli nor the commands.
 */
@NullMarked
package dev.probestream.cli.trace;

import org.jspecify.annotations.NullMarked;
