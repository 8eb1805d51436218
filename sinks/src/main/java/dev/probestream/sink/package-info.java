/**
 * Kafka to files, exactly once: the records of the topics come in, finished files go out. Must not import: the collector,
 * jnr-ffi, picocli; {@code dev.probestream.convert} owns the formats.
 *
 * <p>One thread does all the work. {@code PartitionReader} checks an event's capture and sequence and adds it to a segment
 * ({@code sink.segment}); its bytes go into a spool ({@code sink.spool}). When the segment is closed and its metadata has
 * arrived ({@code sink.metadata}), {@code sink.finish} writes its files in a staging folder and renames them into place;
 * then {@code sink.position} replaces the position file. Only the holder of a partition's lock does this for it.
 *
 * <h2>Why each event is in finished files exactly once</h2>
 *
 * A segment is finished when the position file records it. The position file is replaced by an atomic rename after the
 * segment's files are in place and synced, so it never refers to a missing file. The next holder of the lock deletes
 * orphan files, which are beyond the position by the offsets in their names, before it reads anything. Reading starts at
 * the low water mark, below which all events are in files; events of captures with a higher position are skipped by their
 * offset. Segments depend on their own events only and start at positions, so reading again gives the same segments.
 *
 * <table>
 * <caption>What a crash leaves, and what the next owner of the lock does</caption>
 * <tr><th>crash</th><th>leaves</th><th>next</th></tr>
 * <tr><td>spool half written</td><td>a folder of the dead instance</td><td>removed when any sink starts: its lock
 *     is free; the events are read again</td></tr>
 * <tr><td>trace written, not renamed</td><td>the same: the staging folder is in that folder</td><td>the same</td></tr>
 * <tr><td>some or all files renamed, position not written</td><td>complete orphan files</td><td>deleted; the
 *     segment is written again under the same names</td></tr>
 * <tr><td>position half written</td><td>a {@code .part} beside the old one</td><td>as above</td></tr>
 * <tr><td>position written, spool not deleted, offset not committed</td><td>a spool</td><td>continues after the
 *     segment: committed offsets are for lag monitors and are never read</td></tr>
 * </table>
 *
 * A partition that is revoked in the middle is the first row: its spools are dropped, then the lock is released, and only
 * then can the next owner read the position. A frozen instance keeps its locks, because they belong to the operating
 * system: the next owner waits and reports the holder. When the frozen instance continues, it is still the owner and may
 * finish a segment with its position; its next poll reports that the partition was revoked, and it drops the rest and
 * releases the lock. So there is never a second writer, and nothing depends on a timeout.
 *
 * <p>The metadata tables and the position file are replaced as a whole and derived from what is read, so writing them again
 * gives the same result. Requirement: the instances share one folder with working fcntl(2) locks and atomic renames (a
 * local disk, NFSv4; not an object store).
 */
@NullMarked
package dev.probestream.sink;

import org.jspecify.annotations.NullMarked;
