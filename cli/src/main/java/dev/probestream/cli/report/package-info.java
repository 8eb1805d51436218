/** The command {@code report}: writes the findings of a recording as one HTML page. */
@NullMarked
package dev.probestream.cli.report;

import org.jspecify.annotations.NullMarked;
