package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.measure.WorkTime;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Our way to Kafka against Kafka's own benchmark on one broker, and then a whole collector. */
public final class PublishBenchmark implements Benchmark {
    private static final int PARTITIONS = 1;
    private static final int RECORDS = 1_000_000;
    private static final int WARM_UP_ROUNDS = 2;
    private static final int ROUNDS = 5;
    private static final double LIMIT = 1.0;
    private static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-Xmx256m");

    /** What the rounds of one way measured. */
    private record Figures(Samples thousands, Samples cpuNs, Samples brokerNs) {
        Figures() {
            this(new Samples(), new Samples(), new Samples());
        }
    }

    @Override
    public String name() {
        return "publish";
    }

    @Override
    public String about() {
        return "events to Kafka beside Kafka's own ProducerPerformance, and a whole collector";
    }

    @Override
    public void run(ResultTable table) throws Exception {
        try (Folder folder = Folder.create();
                BrokerJvm broker = BrokerJvm.start(folder.path().resolve("broker"))) {
            KafkaTopic.create(broker.address(), PARTITIONS);
            Map<ProducerChild.Way, Figures> results = contest(folder, broker);
            results.forEach((way, figures) -> rows(table, way, figures, results));
            budget(table, results, ProducerChild.Way.TOOL);
            budget(table, results, ProducerChild.Way.TOOL_FILE);
            table.note(String.format(
                    Locale.ROOT,
                    "%d rounds of %,d records of %d bytes each, in turn; a JVM for each way, all to one partition of one"
                            + " broker, all acknowledged. CPU time of all threads, opening and closing included.",
                    ROUNDS,
                    RECORDS,
                    TypicalEvents.VALUE_BYTES));
            KafkaCollection.measure(table, folder.path(), broker);
        }
    }

    private static Map<ProducerChild.Way, Figures> contest(Folder folder, BrokerJvm broker) throws Exception {
        Map<ProducerChild.Way, Figures> results = new EnumMap<>(ProducerChild.Way.class);
        Map<ProducerChild.Way, ChildJvm> children = new EnumMap<>(ProducerChild.Way.class);
        try (ChildJvm.Group opened = new ChildJvm.Group()) {
            for (ProducerChild.Way way : ProducerChild.Way.values()) {
                results.put(way, new Figures());
                children.put(
                        way,
                        opened.keep(ChildJvm.start(
                                ProducerChild.class,
                                OPTIONS,
                                way.name(),
                                broker.address(),
                                folder.path().toString())));
            }
            for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
                for (Map.Entry<ProducerChild.Way, ChildJvm> child : children.entrySet()) {
                    Figures figures = Objects.requireNonNull(results.get(child.getKey()));
                    turn(child.getValue(), broker, round < 0 ? new Figures() : figures);
                }
            }
        }
        return results;
    }

    private static void turn(ChildJvm child, BrokerJvm broker, Figures figures) throws IOException {
        long startBrokerNs = broker.cpuNs();
        WorkTime turn = WorkTime.parse(child.ask(Integer.toString(RECORDS)));
        figures.thousands().add(turn.millionsPerSecond() * 1e3);
        figures.cpuNs().add(turn.cpuNsPerEvent());
        figures.brokerNs().add((double) (broker.cpuNs() - startBrokerNs) / RECORDS);
    }

    private static void rows(
            ResultTable table, ProducerChild.Way way, Figures figures, Map<ProducerChild.Way, Figures> results) {
        Figures tool = Objects.requireNonNull(results.get(ProducerChild.Way.TOOL));
        row(table, way.title(), figures.thousands(), "k events/s", tool.thousands());
        row(table, way.title() + ": CPU time", figures.cpuNs(), "ns/event", tool.cpuNs());
        row(table, way.title() + ": the broker's", figures.brokerNs(), "ns/event", tool.brokerNs());
    }

    private static void row(ResultTable table, String what, Samples samples, String unit, Samples ofTool) {
        table.compared(what, samples, unit, samples.median() / ofTool.median(), "perf-test");
    }

    private static void budget(ResultTable table, Map<ProducerChild.Way, Figures> results, ProducerChild.Way peer) {
        Figures ours = Objects.requireNonNull(results.get(ProducerChild.Way.PUBLISHER));
        Figures theirs = Objects.requireNonNull(results.get(peer));
        table.atLeast(
                "KafkaPublisher : " + peer.title() + ", events/s, median of the pairs",
                ours.thousands().pairedRatios(theirs.thousands()).median(),
                "x",
                LIMIT);
    }
}
