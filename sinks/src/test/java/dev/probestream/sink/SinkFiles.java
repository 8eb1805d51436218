package dev.probestream.sink;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The finished files of a sink's folder, read by readers that are not ours. */
final class SinkFiles {
    private static final int CAPTURE_TRACK_SEQUENCE = 2;

    private SinkFiles() {}

    /** All of them, by their path in the folder, in order. */
    static List<String> names(Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                return visited.endsWith(".probestream") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                names.add(folder.relativize(file).toString());
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(names);
        return names;
    }

    /** The numbers of the events in each file, in order. */
    static Map<String, List<Long>> events(Path folder, SinkFormat format) throws IOException, SQLException {
        Map<String, List<Long>> events = new TreeMap<>();
        for (String name : names(folder)) {
            if (format != SinkFormat.PARQUET || name.startsWith("events/") || name.startsWith("spans/")) {
                events.put(name, eventsOf(folder.resolve(name), format));
            }
        }
        return events;
    }

    /** The numbers of a capture's events in all files, in order. */
    static List<Long> ofCapture(Path folder, SinkFormat format, long captureId) throws IOException, SQLException {
        if (format == SinkFormat.PARQUET) {
            return Files.exists(folder.resolve("events"))
                    ? parquet(folder.resolve("events/*/*/c" + captureId + "-p*.parquet"))
                    : List.of();
        }
        List<Long> all = new ArrayList<>();
        events(folder, format).forEach((name, numbers) -> {
            if (name.contains("c" + captureId + "-p")) {
                all.addAll(numbers);
            }
        });
        Collections.sort(all);
        return all;
    }

    private static List<Long> eventsOf(Path file, SinkFormat format) throws IOException, SQLException {
        List<Long> numbers = switch (format) {
            case PERFETTO -> perfetto(file);
            case CHROME -> chrome(file);
            case PARQUET -> parquet(file);
        };
        Collections.sort(numbers);
        return numbers;
    }

    /** How often the text is in the traces of Chrome's format below the folder. */
    static int timesInTraces(Path folder, String text) throws IOException {
        int times = 0;
        for (String name : names(folder)) {
            if (name.endsWith(".json")) {
                times += Files.readString(folder.resolve(name)).split(Pattern.quote(text), -1).length - 1;
            }
        }
        return times;
    }

    /** The only number of a query. */
    static long value(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static List<Long> perfetto(Path file) throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (TracePacket packet : Trace.parseFrom(Files.readAllBytes(file)).getPacketList()) {
            TrackEvent event = packet.getTrackEvent();
            if (event.getType() == TrackEvent.Type.TYPE_INSTANT
                    && packet.getTrustedPacketSequenceId() != CAPTURE_TRACK_SEQUENCE) {
                numbers.add(event.getDebugAnnotations(0).getIntValue());
            }
        }
        return numbers;
    }

    private static List<Long> chrome(Path file) throws IOException {
        List<Long> numbers = new ArrayList<>();
        JsonNode root = new ObjectMapper().readTree(file.toFile());
        for (JsonNode event : root.isArray() ? root : root.path("traceEvents")) {
            if (event.path("args").has("n")) {
                numbers.add(event.path("args").path("n").asLong());
            }
        }
        return numbers;
    }

    private static List<Long> parquet(Path file) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT sequence, a0 FROM read_parquet('" + file + "') ORDER BY sequence")) {
            while (rows.next()) {
                if (rows.getLong(1) != rows.getLong(2)) {
                    throw new AssertionError("row " + rows.getLong(1) + " carries the number " + rows.getLong(2));
                }
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }
}
