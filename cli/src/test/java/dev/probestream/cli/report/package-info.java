/** The command {@code report} on recordings made by SQL. */
@NullMarked
package dev.probestream.cli.report;

import org.jspecify.annotations.NullMarked;
