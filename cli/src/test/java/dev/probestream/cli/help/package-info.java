/** The topics of {@code help}. */
@NullMarked
package dev.probestream.cli.help;

import org.jspecify.annotations.NullMarked;
