package dev.probestream.bench.convert;

import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** The peer of {@link ConvertChild} for tables: DuckDB on one thread, with the same arguments and the same output. */
final class DuckDbChild {
    private static final int NUMBERS = 8;
    private static final int STRINGS = 3;

    private DuckDbChild() {}

    public static void main(String[] arguments) throws IOException, SQLException {
        Path recording = Path.of(arguments[0]);
        int times = Integer.parseInt(arguments[2]);
        for (int i = 0; i < times; i++) {
            long startNs = CpuClock.processNs();
            long events = convert(recording, Path.of(arguments[1]));
            System.out.println(events + " " + (CpuClock.processNs() - startNs));
        }
        System.out.println(ChildRuns.peakMemoryBytes());
    }

    private static long convert(Path recording, Path folder) throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET threads = 1");
            statement.execute(table("events"));
            statement.execute(table("spans"));
            long events;
            DuckDBConnection duckDb = connection.unwrap(DuckDBConnection.class);
            try (DuckDBAppender instants = duckDb.createAppender("events");
                    DuckDBAppender spans = duckDb.createAppender("spans")) {
                events = RecordingReader.read(recording, new Rows(instants, spans))
                        .events();
            }
            for (String table : new String[] {"events", "spans"}) {
                statement.execute("COPY " + table + " TO '" + folder.resolve(table + ".parquet")
                        + "' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)");
            }
            return events;
        }
    }

    private static String table(String name) {
        StringBuilder columns = new StringBuilder("CREATE TABLE " + name
                + " (ts BIGINT, end_ts BIGINT, duration_ns BIGINT, mono_ns BIGINT, capture_id BIGINT, sequence BIGINT,"
                + " pid INTEGER, tid INTEGER, cpu INTEGER, probe_id INTEGER, probe VARCHAR, category VARCHAR,"
                + " kind VARCHAR");
        for (int i = 0; i < NUMBERS; i++) {
            columns.append(", a").append(i).append(" BIGINT");
        }
        for (int i = 0; i < STRINGS; i++) {
            columns.append(", s").append(i).append(" VARCHAR");
        }
        return columns.append(", return_value BIGINT, stack_id BIGINT)").toString();
    }

    /** Appends each event to its table. */
    private static final class Rows implements RecordingHandler {
        private final DuckDBAppender instants;
        private final DuckDBAppender spans;
        private final Map<Integer, Probe> probes = new HashMap<>();

        private Rows(DuckDBAppender instants, DuckDBAppender spans) {
            this.instants = instants;
            this.spans = spans;
        }

        @Override
        public void probe(Probe probe) {
            probes.put(probe.getProbeId(), probe);
        }

        @Override
        public void event(EventView event) throws IOException {
            try {
                append(event, event.kind() == EventKind.SPAN ? spans : instants);
            } catch (SQLException e) {
                throw new IOException("append to a table of DuckDB: " + e.getMessage(), e);
            }
        }

        private void append(EventView event, DuckDBAppender row) throws SQLException {
            Probe probe = probes.get(event.probeId());
            if (probe == null) {
                throw new SQLException("probe " + event.probeId() + " is missing");
            }
            row.beginRow();
            row.append(event.timestampNs());
            row.append(event.timestampNs() + event.durationNs());
            row.append(event.durationNs());
            row.append(event.timestampNs());
            row.append(event.captureId());
            row.append(event.sequence());
            row.append(event.pid());
            row.append(event.tid());
            row.append(event.cpu());
            row.append(event.probeId());
            row.append(probe.getName());
            row.append(probe.getCategory());
            row.append(event.kind().name());
            arguments(event, row);
            if (probe.getReturnType().isEmpty()) {
                row.appendNull();
            } else {
                row.append(event.returnValue());
            }
            row.appendNull();
            row.endRow();
        }

        private static void arguments(EventView event, DuckDBAppender row) throws SQLException {
            for (int i = 0; i < NUMBERS; i++) {
                if (i < event.numberCount()) {
                    row.append(event.number(i));
                } else {
                    row.appendNull();
                }
            }
            for (int i = 0; i < STRINGS; i++) {
                if (i < event.stringCount()) {
                    row.append(event.string(i));
                } else {
                    row.appendNull();
                }
            }
        }
    }
}
