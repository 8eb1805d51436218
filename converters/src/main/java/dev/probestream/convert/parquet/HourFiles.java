package dev.probestream.convert.parquet;

import dev.probestream.convert.parquet.row.ParquetTable;
import dev.probestream.convert.parquet.row.RowShape;
import java.nio.file.FileSystemException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of one table whose rows are many: one for each capture and hour. Only {@value #MAX_OPEN} are open at a time,
 * because each holds a row group in memory; when there must be another, the one that was written to longest ago is
 * finished, and whatever comes for it later goes into one more file.
 */
final class HourFiles<T> {
    /** At the turn of an hour. */
    static final int MAX_OPEN = 2;

    /** The column with the moment that a row is written with, if the table has it. */
    private static final String TIME_COLUMN = "mono_ns";

    private record Key(long captureId, long hour) {}

    /** A file that takes rows. */
    private static final class Open<T> {
        private final Key key;
        private final Map<String, String> footer;
        private @Nullable TableFile<T> file;
        private long firstSequence = Long.MAX_VALUE;
        private long lastSequence = Long.MIN_VALUE;
        private final boolean hasTimeColumn;
        private boolean hasRows;
        private boolean isInOrderOfTime = true;
        private long lastNs;

        private Open(Key key, Map<String, String> footer, boolean hasTimeColumn) {
            this.key = key;
            this.footer = footer;
            this.hasTimeColumn = hasTimeColumn;
        }

        private boolean takes(long captureId, long hour) {
            return key.hour == hour && key.captureId == captureId;
        }

        private void noteSequence(long sequence) {
            firstSequence = Math.min(firstSequence, sequence);
            lastSequence = Math.max(lastSequence, sequence);
        }

        private void write(T row, long monotonicNs) throws FileSystemException {
            isInOrderOfTime &= !hasRows || monotonicNs >= lastNs;
            hasRows = true;
            lastNs = monotonicNs;
            if (file != null) {
                file.write(row);
            }
        }

        private Map<String, String> footer() {
            Map<String, String> values = new TreeMap<>(footer);
            if (firstSequence <= lastSequence) {
                values.put(Footer.FIRST_SEQUENCE, Long.toString(firstSequence));
                values.put(Footer.LAST_SEQUENCE, Long.toString(lastSequence));
            }
            if (hasTimeColumn && hasRows && isInOrderOfTime) {
                values.put(Footer.SORTED_BY, TIME_COLUMN);
            }
            return values;
        }
    }

    private final ParquetTable table;
    private final RowShape<T> shape;
    private final Layout layout;
    private final TableFiles files;

    /** The one used last is first. */
    private final Deque<Open<T>> open = new ArrayDeque<>();

    private final Map<Key, Integer> parts = new HashMap<>();

    HourFiles(ParquetTable table, RowShape<T> shape, Layout layout, TableFiles files) {
        this.table = table;
        this.shape = shape;
        this.layout = layout;
        this.files = files;
    }

    /** A row of that moment, CLOCK_MONOTONIC of its capture. */
    void write(T row, CaptureTables capture, long monotonicNs) throws FileSystemException {
        open(capture, layout.hour(capture.clock(), monotonicNs)).write(row, monotonicNs);
    }

    /** A row of an event; the file's footer has the range of its sequences. */
    void write(T row, CaptureTables capture, long monotonicNs, long sequence) throws FileSystemException {
        Open<T> file = open(capture, layout.hour(capture.clock(), monotonicNs));
        file.noteSequence(sequence);
        file.write(row, monotonicNs);
    }

    /** Writes a file without rows when there is none, so that a folder has all its tables. */
    void ensure(CaptureTables capture) throws FileSystemException {
        if (!parts.containsKey(new Key(capture.captureId(), 0))) {
            open(capture, 0);
        }
    }

    /** Frees the memory of all files: no more rows come. */
    void finish() throws FileSystemException {
        while (!open.isEmpty()) {
            finish(open.removeLast());
        }
    }

    private void finish(Open<T> done) throws FileSystemException {
        TableFile<T> file = done.file;
        if (file != null) {
            files.finish(file);
        }
    }

    /** Further files of an earlier conversion of the capture that this one has no use for; hours must not matter. */
    void deleteOlderParts(CaptureTables capture) throws FileSystemException {
        int part = parts.getOrDefault(new Key(capture.captureId(), 0), 0);
        boolean isDeleted = true;
        while (isDeleted) {
            part++;
            isDeleted = files.delete(layout.events(table, capture.captureId(), 0, part));
        }
    }

    private Open<T> open(CaptureTables capture, long hour) throws FileSystemException {
        Open<T> last = open.peekFirst();
        if (last != null && last.takes(capture.captureId(), hour)) {
            return last;
        }
        for (Open<T> other : open) {
            if (other.takes(capture.captureId(), hour)) {
                open.remove(other);
                open.addFirst(other);
                return other;
            }
        }
        return create(new Key(capture.captureId(), hour), capture);
    }

    private Open<T> create(Key key, CaptureTables capture) throws FileSystemException {
        if (open.size() == MAX_OPEN) {
            finish(open.removeLast());
        }
        int part = parts.merge(key, 1, Integer::sum);
        Open<T> created = new Open<>(key, capture.footer(), shape.schema().containsField(TIME_COLUMN));
        created.file = files.create(layout.events(table, key.captureId, key.hour, part), shape, created::footer);
        open.addFirst(created);
        return created;
    }

    /** The keys of the metadata in a file's footer. */
    static final class Footer {
        /** The capture's id. */
        static final String CAPTURE = "probestream.capture";

        /** Of the collector that took the capture. */
        static final String TOOL_VERSION = "probestream.tool_version";

        /** The lowest sequence among the events of the file. */
        static final String FIRST_SEQUENCE = "probestream.first_sequence";

        static final String LAST_SEQUENCE = "probestream.last_sequence";

        /**
         * The column by which all rows of the file are in ascending order; not there if they are not. The format has a field
         * for it, the sorting_columns of a row group, but parquet-java does not write that.
         */
        static final String SORTED_BY = "probestream.sorted_by";

        private Footer() {}
    }
}
