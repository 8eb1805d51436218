/**
 * From recorded events to Parquet tables.
 *
 * <p>Comes in: the records of one or several recordings, read once (twice when there can be requests), captures and probes before their events. Goes out: a
 * folder of tables, each file whole or not at all. What the columns of a table are stands in ARCHITECTURE.md and, in
 * the order of the file, in the class that writes its rows. Must not be imported here: other trace formats, Hadoop (but
 * for one type in a signature that Parquet asks for; none of it is there at run time).
 */
@NullMarked
package dev.probestream.convert.parquet;

import org.jspecify.annotations.NullMarked;
