package dev.probestream.bench.healthy;

import dev.probestream.bench.database.Databases;
import dev.probestream.bench.node.Application;
import dev.probestream.bench.node.Burners;
import dev.probestream.bench.node.NodeProgram;
import dev.probestream.bench.node.NpmPackages;
import dev.probestream.bench.probe.Tool;
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

    private static final String SERVED = "SELECT count(*) AS served FROM requests WHERE side = 'SERVER'";

    /**
     * What one recording gave.
     *
     * @param load while it was recorded
     * @param recorded requests
     */
    record Result(Load load, int recorded, List<ReportedFinding> findings) {}

    /**
     * The load of the application and of the machine.
     *
     * @param sent requests
     * @param idleShare of the time of the machine's CPUs
     */
    record Load(int sent, double idleShare) {}

    /** Puts the scripts and their packages into a folder; the result is that of the scripts. */
    static Path prepare(Path folder) throws IOException, InterruptedException {
        return NpmPackages.withScripts(folder, "healthy/", SCRIPTS);
    }

    @SuppressWarnings("try") // the burners are only to run
    Result run(Databases databases) throws IOException, InterruptedException {
        Path scripts = prepare(scratch);
        Path files = Files.createDirectories(scratch.resolve("files"));
        Path recording = folder.resolve("recording.avro");
        Load recordedLoad;
        try (NodeProgram backend = start(scripts, "backend.js");
                NodeProgram server = start(
                        scripts,
                        "server.js",
                        application.framework(),
                        application.client(),
                        databases.urls(backend.firstLine()),
                        files.toString());
                Burners busy = Burners.start(burners);
                NodeProgram load = start(
                        scripts,
                        "load.js",
                        application.framework(),
                        server.firstLine(),
                        Integer.toString(RATE),
                        Integer.toString(seed))) {
            Thread.sleep(WARM_UP_MS);
            recordedLoad = record(server.pid(), load, recording);
        }
        Path report = folder.resolve("report.json");
        toItsEnd(report, List.of(launcher.toString(), "report", recording.toString(), "--json"));
        Path served = scratch.resolve("served.csv");
        toItsEnd(served, List.of(launcher.toString(), "query", recording.toString(), SERVED, "--format", "csv"));
        return new Result(
                recordedLoad,
                Integer.parseInt(Files.readAllLines(served).get(1)),
                ReportedFinding.parse(Files.readString(report)));
    }

    /** Records the server while the load goes on. */
    private Load record(long pid, NodeProgram load, Path recording) throws IOException {
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
            int sentBefore = sent(load);
            record.awaitEnd();
            return new Load(sent(load) - sentBefore, CpuTimes.read().idleShareSince(before));
        }
    }

    /** @throws IOException if the application failed to answer a request: then it is not healthy */
    private int sent(NodeProgram load) throws IOException {
        String[] answer = load.ask("sent").split(" ", 3);
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
