/**
 * Formats results as text. In: the rows of a query one by one; out: lines of CSV, JSON or a table; memory does not grow with
 * the number of rows. Must not import: anything else of the query module, picocli.
 */
@NullMarked
package dev.probestream.query.result;

import org.jspecify.annotations.NullMarked;
