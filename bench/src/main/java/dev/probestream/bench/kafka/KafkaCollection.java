package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.TargetProgram;
import dev.probestream.bench.probe.TargetProgram.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The whole way from a probe to acknowledged events: the highest rate at which nothing is lost, and what it costs. */
final class KafkaCollection {
    private static final String SPEC =
            "uprobe:" + TargetProgram.FUNCTION + "(a=arg1:s64, b=arg2:s64, text=arg5:str[32])";
    private static final int THREADS = 2;
    /** Longer than what the ring and the producer's memory could hold by themselves. */
    private static final int SECONDS = 4;

    private static final int FLAT_OUT = 0;
    /** Calls a second of both threads together. */
    private static final List<Integer> RATES =
            List.of(FLAT_OUT, 1_000_000, 800_000, 600_000, 500_000, 400_000, 300_000, 200_000, 100_000, 50_000);

    private static final int FLAT_OUT_CALLS = 4_000_000;
    private static final int ROUNDS = 3;

    /** What the rounds at one rate measured. */
    private record Figures(
            Samples offeredThousands, Samples lostPercent, Samples collectorNs, Samples brokerNs, Samples targetNs) {
        Figures() {
            this(new Samples(), new Samples(), new Samples(), new Samples(), new Samples());
        }
    }

    private KafkaCollection() {}

    /** Goes down the rates until nothing is lost in any round. */
    static void measure(ResultTable table, Path folder, BrokerJvm broker) throws IOException, InterruptedException {
        try (TargetProgram target = TargetProgram.start(folder);
                ChildJvm collector = ChildJvm.start(
                        CollectChild.class,
                        List.of("-XX:+UseSerialGC", "-Xmx128m"),
                        Integer.toString(target.pid()),
                        SPEC,
                        broker.address())) {
            round(target, collector, broker, RATES.get(1), new Figures()); // for the JVM to compile
            for (int rate : RATES) {
                Figures figures = new Figures();
                long lost = 0;
                for (int i = 0; i < ROUNDS && (rate == FLAT_OUT || lost == 0); i++) {
                    lost += round(target, collector, broker, rate, figures);
                }
                if (rate == FLAT_OUT || lost == 0) {
                    rows(table, rate, figures);
                } else {
                    table.measured(title(rate) + ": lost", figures.lostPercent(), "%");
                }
                if (rate != FLAT_OUT && lost == 0) {
                    return;
                }
            }
        }
    }

    private static String title(int rate) {
        return rate == FLAT_OUT ? "collector, flat out" : String.format(Locale.ROOT, "collector, %,d hits/s", rate);
    }

    private static void rows(ResultTable table, int rate, Figures figures) {
        String title = title(rate);
        Samples collectorNs = figures.collectorNs();
        Samples brokerNs = figures.brokerNs();
        double targetNs = figures.targetNs().median();
        table.measured(title + ": offered", figures.offeredThousands(), "k hits/s");
        table.measured(title + ": lost", figures.lostPercent(), "%");
        table.compared(title + ": CPU time", collectorNs, "ns/event", collectorNs.median() / targetNs, "the target's");
        table.compared(title + ": the broker's", brokerNs, "ns/event", brokerNs.median() / targetNs, "the target's");
    }

    private static long round(TargetProgram target, ChildJvm collector, BrokerJvm broker, int rate, Figures figures)
            throws IOException {
        int callsPerThread = rate == FLAT_OUT ? FLAT_OUT_CALLS / THREADS : rate / THREADS * SECONDS;
        long calls = (long) callsPerThread * THREADS;
        long startBrokerNs = broker.cpuNs();
        collector.ask("probe");
        Pace pace = target.pace(THREADS, callsPerThread, rate / THREADS);
        String[] answer = collector.ask("end").split(" ");
        long brokerNs = broker.cpuNs() - startBrokerNs;
        long delivered = Long.parseLong(answer[0]);
        long lost = Long.parseLong(answer[1]);
        if (delivered + lost != calls) {
            throw new IllegalStateException(
                    calls + " calls, but " + delivered + " events acknowledged and " + lost + " counted as lost");
        }
        figures.offeredThousands().add(calls * 1e6 / pace.wallNs());
        figures.lostPercent().add(100.0 * lost / calls);
        figures.collectorNs().add(Double.parseDouble(answer[2]) / delivered);
        figures.brokerNs().add((double) brokerNs / delivered);
        figures.targetNs().add((double) pace.cpuNs() / calls);
        return lost;
    }
}
