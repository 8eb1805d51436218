/**
 * Kafka to files, exactly once: the records of the topics come in, finished files go out. Must not import: the collector,
 * jnr, picocli; formats are the business of {@code dev.probestream.convert}.
 *
 * <p>One thread does everything. An event goes from {@code PartitionReader} (its capture, its sequence) into a slice
 * ({@code sink.slice}) and, untouched, into a spool ({@code sink.spool}). When the slice is closed and {@code
 * sink.metadata} knows what it names, {@code sink.finish} makes its files aside and renames them into their places; then
 * {@code sink.position} replaces the position file. Whoever holds the lock of a partition, and nobody else, does any of
 * this for it.
 *
 * <h2>Why each event is in finished files exactly once</h2>
 *
 * A slice is finished when the position file says so. It is replaced by an atomic rename after the files it speaks of are
 * in their places and synced, so at any moment it speaks only of what is there. A file beyond it, told by the offsets in
 * its name, is deleted by the next one to take the lock, before anything is read. Reading begins at the low water, below
 * which everything is in files; of captures that are further, what is in files is skipped by its offset. Slices look at
 * nothing but their own events and begin at positions, so the same slices come out again.
 *
 * <table>
 * <caption>What a crash leaves, and what the next owner of the lock does</caption>
 * <tr><th>crash</th><th>leaves</th><th>next</th></tr>
 * <tr><td>spool half written</td><td>a folder of the dead instance</td><td>removed when any sink starts: nobody holds its
 *     lock; the events are read again</td></tr>
 * <tr><td>trace written, not renamed</td><td>the same: files are made in that folder</td><td>the same</td></tr>
 * <tr><td>some or all files renamed, position not written</td><td>whole files beyond the position</td><td>deleted; the
 *     slice is made again under the same names</td></tr>
 * <tr><td>position half written</td><td>a {@code .part} beside the old one</td><td>as above</td></tr>
 * <tr><td>position written, spool not deleted, offset not committed</td><td>a spool</td><td>goes on behind the slice:
 *     committed offsets are for lag monitors and are never read</td></tr>
 * </table>
 *
 * A partition that is taken away in the middle is the first row: its spools are dropped, then the lock is given back, and
 * only then can the next owner read the position. An instance that is frozen keeps its locks, because they are the
 * operating system's: the next owner waits, and says for whom. When the frozen one wakes it may still finish a slice, with
 * its position, because it is still the owner; it learns at its next poll that the partition is gone, drops the rest and
 * gives the lock back. So there is never a second writer, and no decision rests on a time-out.
 *
 * <p>The tables of metadata and the position file are replaced as a whole and derived from what is read, so making them
 * twice makes them once. What all this asks for: the instances share one folder with working fcntl(2) locks and atomic
 * renames (a local disk, NFSv4; not an object store).
 */
@NullMarked
package dev.probestream.sink;

import org.jspecify.annotations.NullMarked;
