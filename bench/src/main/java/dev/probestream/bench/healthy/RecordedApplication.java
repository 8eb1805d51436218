package dev.probestream.bench.healthy;

import dev.probestream.bench.database.Databases;
import dev.probestream.bench.node.Application;
import dev.probestream.bench.node.Burners;
import dev.probestream.bench.node.NodeProgram;
import dev.probestream.bench.node.NpmPackages;
import dev.probestream.bench.probe.Tool;
import dev.probestream.bench.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * An application that is put under load, recorded and reported, as its user would do it.
 *
 * @param scratch takes the scripts and what they write
 * @param folder takes the recording and the report
 * @param launcher of the version to be measured
 * @param burners how many processes take CPU time meanwhile
 * @param seed of the load
 */
record RecordedApplication(
        Path scratch, Path folder, String node, Path launcher, Application application, int burners, int seed) {
    private static final List<String> SCRIPTS =
            List.of("server.js", "frameworks.js", "clients.js", "backend.js", "load.js");
    /** Requests per second. */
    private static final int RATE = 50;
    /** Pools open their connections, and V8 compiles. */
    private static final long WARM_UP_MS = 6000;

    private static final String SERVED =
            "SELECT min(mono_ns) AS first, max(mono_ns) AS last, count(*) AS served FROM requests WHERE side = 'SERVER'";

    /**
     * What one recording gave.
     *
     * @param idleShare of the time of the machine's CPUs
     * @param sent requests between the begins of the first and the last that are recorded
     * @param recorded requests
     */
    record Result(double idleShare, int sent, int recorded, List<ReportedFinding> findings) {}

    /** Puts the scripts and their packages into a folder; the result is that of the scripts. */
    static Path prepare(Path folder) throws IOException, InterruptedException {
        return NpmPackages.withScripts(folder, "healthy/", SCRIPTS);
    }

    @SuppressWarnings("try") // the burners are only to run
    Result run(Databases databases) throws IOException, InterruptedException {
        Path scripts = prepare(scratch);
        Path files = Files.createDirectories(scratch.resolve("files"));
        Path recording = folder.resolve("recording.avro");
        try (NodeProgram backend = start(scripts, "backend.js");
                NodeProgram server = start(
                        scripts,
                        "server.js",
                        application.framework(),
                        application.client(),
                        databases.urls(backend.firstLine()),
                        files.toString());
                NodeProgram load = start(
                        scripts,
                        "load.js",
                        application.framework(),
                        server.firstLine(),
                        Integer.toString(RATE),
                        Integer.toString(seed))) {
            double idleShare;
            try (Burners busy = Burners.start(burners)) {
                Thread.sleep(WARM_UP_MS);
                idleShare = record(server.pid(), recording);
            }
            Path served = scratch.resolve("served.csv");
            toItsEnd(served, List.of(launcher.toString(), "query", recording.toString(), SERVED, "--format", "csv"));
            String[] times = Files.readAllLines(served).get(1).split(",");
            Path report = folder.resolve("report.json");
            toItsEnd(report, List.of(launcher.toString(), "report", recording.toString(), "--json"));
            return new Result(
                    idleShare,
                    sent(load, times[0], times[1]),
                    Integer.parseInt(times[2]),
                    ReportedFinding.parse(Files.readString(report)));
        }
    }

    /** The result is the share of the CPUs' time that was left meanwhile. */
    private double record(long pid, Path recording) throws IOException {
        List<String> command = List.of(
                launcher.toString(),
                "record",
                "-p",
                Long.toString(pid),
                "--probes",
                "incident",
                "--for",
                "15s",
                "-o",
                recording.toString());
        try (Tool record = Tool.start(scratch, Tool.NOWHERE, command)) {
            record.await("attach", () -> record.messages().contains("recording with "));
            CpuTimes before = CpuTimes.read();
            record.awaitEnd();
            return CpuTimes.read().idleShareSince(before);
        }
    }

    /** @throws IOException if the application failed to answer a request: then it is not healthy */
    private int sent(NodeProgram load, String fromNs, String toNs) throws IOException {
        String[] answer = load.ask(fromNs + " " + toNs).split(" ", 3);
        if (!answer[1].equals("0")) {
            throw new IOException(application.title() + " failed to answer " + answer[1] + " requests: " + answer[2]);
        }
        return Integer.parseInt(answer[0]);
    }

    private NodeProgram start(Path scripts, String script, String... arguments) throws IOException {
        return NodeProgram.start(
                Stream.concat(Stream.of(node, scripts.resolve(script).toString()), Stream.of(arguments))
                        .toList());
    }

    private void toItsEnd(Path output, List<String> command) throws IOException {
        try (Tool tool = Tool.start(scratch, output, command)) {
            tool.awaitEnd();
        }
    }
}
