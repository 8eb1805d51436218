/** The command {@code record}: writes a capture to a file. */
@NullMarked
package dev.probestream.cli.record;

import org.jspecify.annotations.NullMarked;
