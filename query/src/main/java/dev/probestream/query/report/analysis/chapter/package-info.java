/** Sections of a report: tables and plots of what was recorded. */
@NullMarked
package dev.probestream.query.report.analysis.chapter;

import org.jspecify.annotations.NullMarked;
