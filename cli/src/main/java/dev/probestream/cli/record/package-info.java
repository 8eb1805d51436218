/** The command {@code record}: a capture into a file. */
@NullMarked
package dev.probestream.cli.record;

import org.jspecify.annotations.NullMarked;
