package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.schema.EventView;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How long it takes from the command line until a running program's calls are seen: the time of the first event less
 * that of the command's start, both CLOCK_MONOTONIC.
 */
public final class StartBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int ROUNDS = 11;
    private static final int CALLS_PER_SECOND = 10_000;
    private static final int CALLS = 60 * 60 * CALLS_PER_SECOND;
    private static final double LIMIT_MS = 1000;

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String about() {
        return "from the command line to the first event of a program called 10,000 times a second, beside bpftrace";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        Path launcher = Path.of(System.getProperty(HOME, "."), "probestream");
        boolean hasBpftrace = !Bpftrace.version().isEmpty();
        Samples version = new Samples();
        Samples record = new Samples();
        Samples bpftrace = new Samples();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            target.startPace(1, CALLS, CALLS_PER_SECOND);
            record(launcher, folder.path(), target); // builds what is out of date, and the archive of classes
            for (int round = 0; round < ROUNDS; round++) {
                version.add(version(launcher));
                record.add(record(launcher, folder.path(), target));
                if (hasBpftrace) {
                    bpftrace.add(bpftrace(target));
                }
            }
        }
        table.measured("probestream --version", version, "ms");
        table.compared("probestream record", record, "ms", record.median() / version.median(), "--version");
        if (hasBpftrace) {
            table.compared("bpftrace", bpftrace, "ms", bpftrace.median() / record.median(), "record");
        }
        table.atMost("probestream record to the first event", record.median(), "ms", LIMIT_MS);
        table.note(ROUNDS + " rounds, in turn; wall time, so a busy machine shows. The class archive is made before.");
    }

    private static double version(Path launcher) throws IOException, InterruptedException {
        long startNs = ClockReading.monotonicNowNs();
        output(launcher.toString(), "--version");
        return (ClockReading.monotonicNowNs() - startNs) / 1e6;
    }

    private static double record(Path launcher, Path folder, TargetProgram target)
            throws IOException, InterruptedException {
        Path recording = folder.resolve("start.avro");
        Files.deleteIfExists(recording);
        FirstEvent first = new FirstEvent();
        long startNs = ClockReading.monotonicNowNs();
        output(
                launcher.toString(),
                "record",
                "-p",
                Integer.toString(target.pid()),
                "--probes",
                "uprobe:" + TargetProgram.FUNCTION,
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
}
