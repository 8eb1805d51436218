/** Access to the facts of a recording by SQL, their formatting, and the thresholds of the findings. */
@NullMarked
package dev.probestream.query.report.analysis.fact;

import org.jspecify.annotations.NullMarked;
