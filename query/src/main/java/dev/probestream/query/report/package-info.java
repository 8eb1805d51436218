/**
 * The report for a person: a {@code Recordings} comes in; what it says is first a value ({@code ReportContents}: findings,
 * sections, plots as numbers), then one self-contained HTML page. What a recording says goes into the page as JSON only,
 * never as markup.
 */
@NullMarked
package dev.probestream.query.report;

import org.jspecify.annotations.NullMarked;
