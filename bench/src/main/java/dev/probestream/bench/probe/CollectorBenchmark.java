package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code record} itself takes: its CPU time while a target makes 200,000 events/s and while nothing happens, and how long
 * it takes to end with all sets attached.
 */
public final class CollectorBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final String SPEC =
            "uprobe:" + TargetProgram.FUNCTION + "(a=arg1:s64, b=arg2:s64, text=arg5:str[32])";
    /** recorded 2,400,118 events in 12.0 s (200,005/s), none lost */
    private static final Pattern RATE = Pattern.compile("\\(([\\d,]+)/s\\)");

    /** The guard would make a sample of a probe of 200,000 hits/s. */
    private static final List<String> NO_GUARD = List.of("--budget", "off");

    private static final int ROUNDS = 3;
    private static final int THREADS = 2;
    private static final int PER_THREAD_AND_SECOND = 100_000;
    private static final int CALLS_PER_THREAD = 60 * 60 * PER_THREAD_AND_SECOND;
    /** For the JVM to compile what it runs again and again. */
    private static final int WARM_UP_MS = 6000;

    private static final int BUSY_MS = 10_000;
    private static final int IDLE_MS = 20_000;
    private static final double BUSY_LIMIT = 15;
    private static final double IDLE_LIMIT = 0.3;
    private static final double END_LIMIT_MS = 300;

    /** Waits for requests that nobody sends. */
    private static final String NODE_PROGRAM =
            "require('http').createServer(() => {}).listen(0, '127.0.0.1', () => console.log('ready'));";

    /** What the rounds of one version measured. */
    private static final class Figures {
        private final String name;
        private final Path launcher;
        private final List<String> options;
        private final Samples perSecond = new Samples();
        private final Samples busyPercent = new Samples();
        private final Samples idlePercent = new Samples();
        private final Samples endMs = new Samples();

        private Figures(String name, Path launcher, List<String> options) {
            this.name = name;
            this.launcher = launcher;
            this.options = options;
        }

        void rows(ResultTable table) {
            table.measured("events recorded" + name, perSecond, "events/s");
            table.measured("200,000 events/s" + name, busyPercent, "% of a CPU");
            table.measured("idle, all sets" + name, idlePercent, "% of a CPU");
            table.measured("end, all sets" + name, endMs, "ms");
        }

        void goals(ResultTable table) {
            table.atMost("200,000 events/s", busyPercent.median(), "% of a CPU", BUSY_LIMIT);
            table.atMost("idle, all sets", idlePercent.median(), "% of a CPU", IDLE_LIMIT);
            table.atMost("end, all sets", endMs.median(), "ms", END_LIMIT_MS);
        }
    }

    @Override
    public String name() {
        return "collector";
    }

    @Override
    public String about() {
        return "CPU time of record at 200,000 events/s and while nothing happens, and how long it takes to end";
    }

    @Override
    public List<String> options() {
        return List.of("rounds", "before");
    }

    @Override
    public void run(ResultTable table) throws Exception {
        run(table, new Options(Map.of()));
    }

    @Override
    public void run(ResultTable table, Options options) throws IOException, InterruptedException {
        int rounds = options.number("rounds", ROUNDS);
        Figures now = new Figures("", Path.of(System.getProperty(HOME, "."), "probestream"), NO_GUARD);
        Optional<Figures> before = options.text("before")
                .map(folder -> new Figures(", before", Path.of(folder, "probestream"), List.of()));
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path());
                IdleNode node = IdleNode.start()) {
            target.startPace(THREADS, CALLS_PER_THREAD, PER_THREAD_AND_SECOND);
            for (int round = 0; round < rounds; round++) {
                if (before.isPresent()) {
                    round(folder.path(), before.get(), target.pid(), node.pid());
                }
                round(folder.path(), now, target.pid(), node.pid());
            }
        }
        before.ifPresent(figures -> figures.rows(table));
        now.rows(table);
        now.goals(table);
        table.note(String.format(
                Locale.ROOT,
                "%d rounds in turn. CPU time of all threads of the process, after %d s in which the JVM warms up: %d s at"
                        + " 200,000 events/s with two numbers and a text, %d s beside a Node server without requests. End:"
                        + " wall time from SIGTERM to the end of the process, the file's end among it.",
                rounds,
                WARM_UP_MS / 1000,
                BUSY_MS / 1000,
                IDLE_MS / 1000));
    }

    private static void round(Path folder, Figures figures, long target, long node)
            throws IOException, InterruptedException {
        Tool busy = record(folder, figures, target, SPEC);
        try (busy) {
            figures.busyPercent.add(cpuPercent(busy, BUSY_MS));
        }
        figures.perSecond.add(eventsPerSecond(busy.messages()));
        Tool idle = record(folder, figures, node, "all");
        long startNs;
        try {
            figures.idlePercent.add(cpuPercent(idle, IDLE_MS));
        } finally {
            startNs = System.nanoTime();
            idle.close();
        }
        figures.endMs.add((System.nanoTime() - startNs) / 1e6);
    }

    private static Tool record(Path folder, Figures figures, long pid, String probes)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(figures.launcher.toString(), "record"));
        command.addAll(figures.options);
        command.addAll(List.of("-p", Long.toString(pid), "--probes", probes));
        command.addAll(List.of("-o", folder.resolve("collector.avro").toString()));
        Tool tool = Tool.start(folder, Tool.NOWHERE, command);
        try {
            tool.await("attach", () -> tool.messages().contains("recording with "));
            Thread.sleep(WARM_UP_MS);
            return tool;
        } catch (IOException | InterruptedException e) {
            tool.close();
            throw e;
        }
    }

    private static double cpuPercent(Tool tool, int ms) throws InterruptedException {
        long cpuNs = tool.cpuNs();
        long startNs = System.nanoTime();
        Thread.sleep(ms);
        return 100.0 * (tool.cpuNs() - cpuNs) / (System.nanoTime() - startNs);
    }

    private static double eventsPerSecond(String messages) throws IOException {
        Matcher matcher = RATE.matcher(messages);
        if (!matcher.find()) {
            throw new IOException("record did not print its rate: " + messages);
        }
        return Double.parseDouble(matcher.group(1).replace(",", ""));
    }

    /** A Node server without requests. */
    private record IdleNode(Process process) implements AutoCloseable {
        static IdleNode start() throws IOException {
            Process process = new ProcessBuilder("node", "-e", NODE_PROGRAM)
                    .redirectInput(new File("/dev/null"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
            if (!"ready".equals(said.readLine())) {
                process.destroyForcibly();
                throw new IOException("node ended before it was ready");
            }
            return new IdleNode(process);
        }

        long pid() {
            return process.pid();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
