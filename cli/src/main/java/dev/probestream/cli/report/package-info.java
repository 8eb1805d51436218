/** The command {@code report}: findings of a recording as one HTML page. */
@NullMarked
package dev.probestream.cli.report;

import org.jspecify.annotations.NullMarked;
