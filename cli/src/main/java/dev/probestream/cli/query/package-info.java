/** The command {@code query}: runs SQL on recordings and writes the results to files or the terminal. */
@NullMarked
package dev.probestream.cli.query;

import org.jspecify.annotations.NullMarked;
