package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** A folder that stays while sinks of one format come and go, and the proof that it holds what the topic holds. */
record SinkPlace(String format, Path folder, String servers, Path kafkaConfig) {
    /** What a sink says when it has partitions to read. */
    static final String READY = "reading partition";

    /** The metric with a value for each partition that an instance has. */
    static final String LAG = "probestream_sink_lag_offsets";

    private static final String PARQUET = "parquet";

    /**
     * With a session timeout as short as brokers allow: a sink that was killed holds its partitions for that long.
     *
     * @param folder of the test
     */
    static SinkPlace in(Path folder, String format, String servers) throws IOException {
        Path config = folder.resolve("sink.properties");
        Files.writeString(config, "session.timeout.ms=6000\nheartbeat.interval.ms=1000\n");
        return new SinkPlace(format, folder.resolve(format), servers, config);
    }

    /** Starts an instance with slices so small that there are many; it may not read yet. */
    Service start() throws IOException {
        return start("--slice", "2s", "--idle", "4s", "--max-events", "20000", "--metrics-port", "0");
    }

    /** Starts an instance with these options for rolling and others. */
    Service start(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "sink", format, "--kafka", servers, "--kafka-config", kafkaConfig.toString(), "-o", folder.toString()));
        arguments.addAll(List.of(options));
        return Service.start(arguments.toArray(String[]::new));
    }

    /** The same for another folder, of this name, beside this one. */
    SinkPlace beside(String name) {
        return new SinkPlace(format, folder.resolveSibling(name), servers, kafkaConfig);
    }

    /** The same for a folder in {@code parent}. */
    SinkPlace on(Path parent) {
        return new SinkPlace(format, parent.resolve(format), servers, kafkaConfig);
    }

    /** Starts one that works alone and ends when all of the topic is in its files. */
    Service startOnce() throws IOException {
        return start("--slice", "2s", "--max-events", "20000", "--once");
    }

    /** Runs it to the end. */
    void runOnce() throws IOException, InterruptedException {
        try (Service sink = startOnce()) {
            assertThat(sink.end()).as("%s", sink.output()).isZero();
        }
    }

    /** Waits until the instances share all partitions and everything of them is in finished files. */
    static void awaitCaughtUp(int partitions, List<Service> instances) throws IOException, InterruptedException {
        BoundedWait.await(
                () -> {
                    List<Double> lags = new ArrayList<>();
                    for (Service instance : instances) {
                        lags.addAll(instance.metrics().values(LAG));
                    }
                    return lags.size() == partitions && lags.stream().allMatch(lag -> lag == 0);
                },
                () -> "no lag of " + instances.stream().map(Service::output).toList());
    }

    /** Every event of the topic is in the finished files once, every file opens, and nothing else is left. */
    void prove(TopicContents topic) throws Exception {
        assertThat(strayFiles())
                .as("files in %s that should not be there", folder)
                .isEmpty();
        Map<Long, Numbers> found = openAll();
        assertThat(found.keySet())
                .as("captures in %s", folder)
                .isEqualTo(topic.identities().keySet());
        topic.identities().forEach((capture, events) -> {
            Numbers inFiles = found.getOrDefault(capture, new Numbers());
            assertThat(Arrays.equals(inFiles.sorted(), events.sorted()))
                    .as(
                            "%s has the %d events of capture %d (it has %d)",
                            folder, events.size(), capture, inFiles.size())
                    .isTrue();
        });
    }

    /** Opens every finished file and gives what they hold: {@link Beats#identity} of each event, by capture. */
    Map<Long, Numbers> openAll() throws IOException, SQLException {
        if (!format.equals(PARQUET)) {
            return TraceContents.read(folder).identities();
        }
        TableContents tables = TableContents.read(folder);
        assertThat(tables.faults()).as("sequences in %s", folder).isEmpty();
        return tables.identities();
    }

    /** A checksum of each finished file, by its path in the folder. */
    Map<String, Long> contents() throws IOException {
        Map<String, Long> contents = new TreeMap<>();
        for (Path file : finished()) {
            CRC32C sum = new CRC32C();
            sum.update(Files.readAllBytes(file));
            contents.put(folder.relativize(file).toString(), sum.getValue());
        }
        return contents;
    }

    /** How many finished files there are. */
    long files() throws IOException {
        return finished().size();
    }

    private List<Path> finished() throws IOException {
        return paths(path -> !path.startsWith(folder.resolve(".probestream")));
    }

    private List<Path> strayFiles() throws IOException {
        Path own = folder.resolve(".probestream");
        return paths(path -> path.startsWith(own) ? isOfAnInstance(own.relativize(path)) : !isFinished(path));
    }

    private static boolean isOfAnInstance(Path path) {
        return path.getName(0).toString().startsWith("instance-");
    }

    private boolean isFinished(Path path) {
        String name = path.getFileName().toString();
        return !name.startsWith(".")
                && Stream.of(".parquet", ".pftrace", ".json").anyMatch(name::endsWith);
    }

    private List<Path> paths(Predicate<Path> wanted) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).filter(wanted).toList();
        }
    }
}
