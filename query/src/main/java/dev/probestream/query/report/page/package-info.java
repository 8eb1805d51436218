/**
 * Writes the report as a page. In: {@code ReportContents}; out: one HTML file that loads nothing. Script, style and template
 * are resources of this package; recorded data is in a JSON data block, and scripts insert it into the document as text
 * only. Must not import: java.sql, DuckDB.
 */
@NullMarked
package dev.probestream.query.report.page;

import org.jspecify.annotations.NullMarked;
