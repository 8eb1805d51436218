/**
 * The report as a page: {@code ReportContents} come in, one HTML file that loads nothing goes out. Its script, style and
 * template are resources beside these classes; what was recorded reaches them as JSON in a data block, and the document as
 * text only. Must not import: java.sql, DuckDB.
 */
@NullMarked
package dev.probestream.query.report.page;

import org.jspecify.annotations.NullMarked;
