/** The rows of each table: their columns, in the order of the file, and how a record becomes a row. */
@NullMarked
package dev.probestream.convert.parquet.row;

import org.jspecify.annotations.NullMarked;
