/**
 * The report. In: {@code Recordings}; out: first a value ({@code ReportContents}: findings, sections, plots as numbers), then
 * one self-contained HTML page. Recorded data goes into the page as JSON only, never as markup.
 */
@NullMarked
package dev.probestream.query.report;

import org.jspecify.annotations.NullMarked;
