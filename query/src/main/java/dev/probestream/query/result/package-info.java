/**
 * Results as text: rows of a query come in one by one, lines of CSV, JSON or a table for a person go out; memory does not
 * grow with the rows. Must not import: anything else of the query module, picocli.
 */
@NullMarked
package dev.probestream.query.result;

import org.jspecify.annotations.NullMarked;
