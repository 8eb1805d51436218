package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.schema.EventView;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How long a command takes from the command line: an answer until the process ends; a recording until a running program's
 * calls are seen, which is the time of the first event less that of the command's start, both CLOCK_MONOTONIC.
 */
public final class StartBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int ROUNDS = 11;
    private static final int CALLS_PER_SECOND = 10_000;
    private static final int CALLS = 60 * 60 * CALLS_PER_SECOND;
    private static final double ANSWER_LIMIT_MS = 120;
    private static final double ONE_PROBE_LIMIT_MS = 350;
    private static final double ALL_SETS_LIMIT_MS = 800;

    /** Asks for a file a thousand times a second: its event loop and its thread pool have hits at any time. */
    private static final String NODE_PROGRAM =
            "const fs = require('fs'); setInterval(() => fs.stat('.', () => {}), 1); console.log('ready');";

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String about() {
        return "from the command line to the answer, and to the first event with one probe and with all sets, beside bpftrace";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        Path launcher = Path.of(System.getProperty(HOME, "."), "probestream");
        boolean hasBpftrace = !Bpftrace.version().isEmpty();
        Samples version = new Samples();
        Samples help = new Samples();
        Samples oneProbe = new Samples();
        Samples allSets = new Samples();
        Samples bpftrace = new Samples();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path());
                Node node = Node.start()) {
            target.startPace(1, CALLS, CALLS_PER_SECOND);
            String probe = "uprobe:" + TargetProgram.FUNCTION;
            record(
                    launcher,
                    folder.path(),
                    target.pid(),
                    probe); // builds what is out of date, and the archive of classes
            for (int round = 0; round < ROUNDS; round++) {
                version.add(answer(launcher, "--version"));
                help.add(answer(launcher, "--help"));
                oneProbe.add(record(launcher, folder.path(), target.pid(), probe));
                allSets.add(record(launcher, folder.path(), node.pid(), "all"));
                if (hasBpftrace) {
                    bpftrace.add(bpftrace(target));
                }
            }
        }
        table.measured("probestream --version", version, "ms");
        table.measured("probestream --help", help, "ms");
        table.compared(
                "record, one probe, to the first event",
                oneProbe,
                "ms",
                oneProbe.median() / version.median(),
                "--version");
        table.compared(
                "record, all sets, to the first event",
                allSets,
                "ms",
                allSets.median() / oneProbe.median(),
                "one probe");
        if (hasBpftrace) {
            table.compared("bpftrace", bpftrace, "ms", bpftrace.median() / oneProbe.median(), "one probe");
        }
        table.atMost("--version", version.median(), "ms", ANSWER_LIMIT_MS);
        table.atMost("--help", help.median(), "ms", ANSWER_LIMIT_MS);
        table.atMost("one probe", oneProbe.median(), "ms", ONE_PROBE_LIMIT_MS);
        table.atMost("all sets", allSets.median(), "ms", ALL_SETS_LIMIT_MS);
        table.note(ROUNDS + " rounds, in turn; wall time, so a busy machine shows. The class archive is made before.");
    }

    private static double answer(Path launcher, String option) throws IOException, InterruptedException {
        long startNs = ClockReading.monotonicNowNs();
        output(launcher.toString(), option);
        return (ClockReading.monotonicNowNs() - startNs) / 1e6;
    }

    private static double record(Path launcher, Path folder, int pid, String probes)
            throws IOException, InterruptedException {
        Path recording = folder.resolve("start.avro");
        Files.deleteIfExists(recording);
        FirstEvent first = new FirstEvent();
        long startNs = ClockReading.monotonicNowNs();
        output(
                launcher.toString(),
                "record",
                "-p",
                Integer.toString(pid),
                "--probes",
                probes,
                "--for",
                "100ms",
                "-o",
                recording.toString());
        RecordingReader.read(recording, first);
        return (first.timestampNs - startNs) / 1e6;
    }

    private static double bpftrace(TargetProgram target) throws IOException, InterruptedException {
        String program = "uprobe:" + target.executable() + ":" + TargetProgram.FUNCTION
                + " { printf(\"at %lu\\n\", nsecs); exit(); }";
        long startNs = ClockReading.monotonicNowNs();
        String firstNs = output("bpftrace", "-p", Integer.toString(target.pid()), "-e", program)
                .lines()
                .filter(line -> line.startsWith("at "))
                .findFirst()
                .orElseThrow(() -> new IOException("bpftrace saw no call of process " + target.pid()));
        return (Long.parseLong(firstNs.substring(3)) - startNs) / 1e6;
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(
                    "run " + String.join(" ", List.of(command)) + ": exit code " + process.exitValue() + "\n" + output);
        }
        return output;
    }

    /** Keeps the earliest time of all events. */
    private static final class FirstEvent implements RecordingHandler {
        private long timestampNs = Long.MAX_VALUE;

        @Override
        public void event(EventView event) {
            timestampNs = Math.min(timestampNs, event.timestampNs());
        }
    }

    /** A running Node process. */
    private record Node(Process process) implements AutoCloseable {
        static Node start() throws IOException {
            Process process = new ProcessBuilder("node", "-e", NODE_PROGRAM)
                    .redirectInput(new File("/dev/null"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
            if (!"ready".equals(said.readLine())) {
                process.destroyForcibly();
                throw new IOException("node ended before it was ready");
            }
            return new Node(process);
        }

        int pid() {
            return (int) process.pid();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
