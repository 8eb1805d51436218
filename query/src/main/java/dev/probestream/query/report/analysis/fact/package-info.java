/** The facts of a recording, asked by SQL, and the thresholds of the findings. */
@NullMarked
package dev.probestream.query.report.analysis.fact;

import org.jspecify.annotations.NullMarked;
