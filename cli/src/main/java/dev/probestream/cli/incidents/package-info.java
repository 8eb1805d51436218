/** The command {@code incidents}: takes what {@code watch} has kept, as a folder for each incident. */
@NullMarked
package dev.probestream.cli.incidents;

import org.jspecify.annotations.NullMarked;
