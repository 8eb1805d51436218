/** The command {@code help}: texts that several commands share. */
@NullMarked
package dev.probestream.cli.help;

import org.jspecify.annotations.NullMarked;
