/**
 * Analyses recordings for the report. In: {@code Recordings}; out: {@code ReportContents}. The SQL resources in
 * {@code report/facts} create temporary tables once (turns of the loop, work of the pool, lookups ...); chapters compute
 * sections from them, rules compute findings. Must not import: the page.
 */
@NullMarked
package dev.probestream.query.report.analysis;

import org.jspecify.annotations.NullMarked;
