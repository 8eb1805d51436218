/**
 * What a recording says: a {@code Recordings} comes in, a {@code ReportContents} goes out. The SQL resources in
 * {@code report/facts} make temporary tables of the recording once (turns of the loop, work of the pool, lookups ...);
 * chapters make numbers of them, rules make findings. Must not import: the page.
 */
@NullMarked
package dev.probestream.query.report.analysis;

import org.jspecify.annotations.NullMarked;
