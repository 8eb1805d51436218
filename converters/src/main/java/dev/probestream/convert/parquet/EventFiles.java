package dev.probestream.convert.parquet;

import java.nio.file.FileSystemException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files that events go to: one for each table, capture and hour. Only {@value #MAX_OPEN} are open at a time, because
 * each holds a row group in memory; when there must be another, the one that was written to longest ago is finished, and
 * whatever comes for it later goes into one more file.
 */
final class EventFiles {
    /** Both tables, at the turn of an hour. */
    static final int MAX_OPEN = 4;

    private static final List<Table> TABLES = List.of(Table.EVENTS, Table.SPANS);

    private record Key(Table table, long captureId, long hour) {}

    /** A file that takes rows. */
    private static final class Open {
        private final Key key;
        private final Map<String, String> footer;
        private @Nullable TableFile<EventRow> file;
        private long firstSequence = Long.MAX_VALUE;
        private long lastSequence = Long.MIN_VALUE;

        private Open(Key key, Map<String, String> footer) {
            this.key = key;
            this.footer = footer;
        }

        private boolean takes(Table table, long captureId, long hour) {
            return key.hour == hour && key.captureId == captureId && key.table == table;
        }

        private void write(EventRow row) throws FileSystemException {
            long sequence = row.event.sequence();
            firstSequence = Math.min(firstSequence, sequence);
            lastSequence = Math.max(lastSequence, sequence);
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
            return values;
        }
    }

    private final Layout layout;
    private final TableFiles files;
    private final EventRows events = EventRows.of(Table.EVENTS);
    private final EventRows spans = EventRows.of(Table.SPANS);

    /** The one used last is first. */
    private final Deque<Open> open = new ArrayDeque<>();

    private final Map<Key, Integer> parts = new HashMap<>();

    EventFiles(Layout layout, TableFiles files) {
        this.layout = layout;
        this.files = files;
    }

    void write(EventRow row, CaptureTables capture) throws FileSystemException {
        Table table = EventRows.tableOf(row.event.kind());
        long hour = layout.hour(row.clock, row.event.timestampNs());
        open(table, capture, hour).write(row);
    }

    /** Files without a row for a table that has none: who reads a folder finds all its tables. */
    void ensure(CaptureTables capture) throws FileSystemException {
        for (Table table : TABLES) {
            if (!parts.containsKey(new Key(table, capture.captureId(), 0))) {
                open(table, capture, 0);
            }
        }
    }

    /** Further files of an earlier conversion of the capture that this one has no use for; hours must not matter. */
    void deleteOlderParts(CaptureTables capture) throws FileSystemException {
        for (Table table : TABLES) {
            int part = parts.getOrDefault(new Key(table, capture.captureId(), 0), 0);
            boolean isDeleted = true;
            while (isDeleted) {
                part++;
                isDeleted = files.delete(layout.events(table, capture.captureId(), 0, part));
            }
        }
    }

    private Open open(Table table, CaptureTables capture, long hour) throws FileSystemException {
        Open last = open.peekFirst();
        if (last != null && last.takes(table, capture.captureId(), hour)) {
            return last;
        }
        for (Open other : open) {
            if (other.takes(table, capture.captureId(), hour)) {
                open.remove(other);
                open.addFirst(other);
                return other;
            }
        }
        return create(new Key(table, capture.captureId(), hour), capture);
    }

    private Open create(Key key, CaptureTables capture) throws FileSystemException {
        if (open.size() == MAX_OPEN) {
            TableFile<EventRow> oldest = open.removeLast().file;
            if (oldest != null) {
                files.finish(oldest);
            }
        }
        int part = parts.merge(key, 1, Integer::sum);
        Open created = new Open(key, capture.footer());
        created.file = files.create(
                layout.events(key.table, key.captureId, key.hour, part),
                key.table == Table.SPANS ? spans : events,
                created::footer);
        open.addFirst(created);
        return created;
    }
}
