/** The command {@code convert}: converts recordings into traces and tables. */
@NullMarked
package dev.probestream.cli.convert;

import org.jspecify.annotations.NullMarked;
