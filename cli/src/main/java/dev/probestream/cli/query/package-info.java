/** The command {@code query}: SQL over recordings, the answers in files or on the terminal. */
@NullMarked
package dev.probestream.cli.query;

import org.jspecify.annotations.NullMarked;
