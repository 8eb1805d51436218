/** The chapters: each computes one section of the report. In: facts of a recording; out: tables and plots. */
@NullMarked
package dev.probestream.query.report.analysis.chapter;

import org.jspecify.annotations.NullMarked;
