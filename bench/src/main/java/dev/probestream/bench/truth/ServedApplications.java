package dev.probestream.bench.truth;

import dev.probestream.bench.database.Databases;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.node.Application;
import dev.probestream.bench.node.NodeProgram;
import dev.probestream.bench.node.NpmPackages;
import dev.probestream.bench.probe.Tool;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The applications of one framework: one process serves them all, is put under load and recorded.
 *
 * @param scratch takes the scripts and what they read
 * @param folder takes the recording, its tables and the log
 * @param node an executable with its options
 * @param launcher of the version to be measured
 * @param probes the sets that are recorded
 * @param requests to each application, and as many to the one that sleeps
 * @param isCollecting garbage of all generations is collected all the time
 */
record ServedApplications(
        Path scratch,
        Path folder,
        List<String> node,
        Path launcher,
        List<Application> applications,
        String probes,
        int requests,
        boolean isCollecting) {
    private static final List<String> SCRIPTS =
            List.of("server.js", "applications.js", "frameworks.js", "clients.js", "queues.js", "load.js");
    /** Makes connections, which pools keep, and lets V8 compile; as many as are under way at a time. */
    private static final int WARM_UP_REQUESTS = 20;

    private static final Pattern LOSS = Pattern.compile("[\\d,]+ LOST");

    /** What one recording gave. */
    record Result(List<ComparedOrder> comparisons, String losses) {}

    /** Puts the scripts and their packages into a folder; the result is that of the scripts. */
    static Path prepare(Path folder) throws IOException, InterruptedException {
        return NpmPackages.withScripts(folder, "truth/", SCRIPTS);
    }

    /** All applications, as a version of Node supports them. */
    static List<Application> list(String node) throws IOException, InterruptedException {
        try (Folder folder = Folder.create();
                NodeProgram program = NodeProgram.start(List.of(
                        node, prepare(folder.path()).resolve("server.js").toString(), "list"))) {
            return Pattern.compile(" ")
                    .splitAsStream(program.firstLine())
                    .map(Application::parse)
                    .toList();
        }
    }

    /** Records them all while they serve, and compares. */
    Result run(Databases databases) throws IOException, InterruptedException, SQLException {
        Path scripts = prepare(scratch);
        Path files = Files.createDirectories(scratch.resolve("files"));
        Path log = folder.resolve("truth.csv");
        Path recording = folder.resolve("recording.avro");
        String messages;
        try (NodeProgram load = NodeProgram.start(
                        List.of(node.get(0), scripts.resolve("load.js").toString()));
                NodeProgram server = server(scripts, databases.urls(load.firstLine()), files)) {
            List<String> ports = List.of(server.firstLine().split(" "));
            if (isCollecting) {
                ask(server, "collect");
            }
            ask(server, "files 1 " + 2 * applications.size() * (WARM_UP_REQUESTS + 1 + requests));
            int number = ask(load, ports, 1, WARM_UP_REQUESTS);
            Tool record = Tool.start(scratch, Tool.NOWHERE, recordCommand(server.pid(), recording));
            try (record) {
                record.await("attach", () -> record.messages().contains("recording with "));
                number = ask(load, ports, number, 1); // connections to Redis are decoded after it
                ask(server, "forget");
                ask(load, ports, number, requests);
                record.finish();
            }
            messages = record.messages();
            ask(server, "log " + log);
        }
        Path tables = folder.resolve("tables");
        convert(recording, tables);
        RecordedHits recorded = RecordedHits.read(tables);
        List<ComparedOrder> comparisons =
                ComparedOrder.all(LoggedOrder.read(framework(), log), recorded.hits(), recorded.callbacks());
        return new Result(
                comparisons,
                LOSS.matcher(messages).results().map(match -> match.group()).collect(Collectors.joining(", ")));
    }

    String framework() {
        return applications.get(0).framework();
    }

    private NodeProgram server(Path scripts, String urls, Path files) throws IOException {
        List<String> command = new ArrayList<>(node);
        command.addAll(List.of(
                scripts.resolve("server.js").toString(),
                framework(),
                applications.stream().map(Application::client).collect(Collectors.joining(",")),
                urls,
                files.toString()));
        return NodeProgram.start(command);
    }

    /** Puts load on each at each port; the result is the next number. */
    private int ask(NodeProgram load, List<String> ports, int first, int count) throws IOException {
        int next = first;
        for (Application application : applications) {
            for (String port : ports) {
                ask(load, port + " " + application.client() + " " + next + " " + count);
                next += count;
            }
        }
        return next;
    }

    private static void ask(NodeProgram program, String line) throws IOException {
        String answer = program.ask(line);
        if (!answer.equals("done")) {
            throw new IOException("ask '" + line + "': " + answer);
        }
    }

    private List<String> recordCommand(long pid, Path recording) {
        return List.of(
                launcher.toString(),
                "record",
                "-p",
                Long.toString(pid),
                "-o",
                recording.toString(),
                "--probes",
                probes,
                "--budget",
                "off",
                "--show-query");
    }

    private void convert(Path recording, Path tables) throws IOException, InterruptedException {
        File messages = scratch.resolve("convert.err").toFile();
        int exitCode = new ProcessBuilder(launcher.toString(), "convert", recording.toString(), "-o", tables + "/")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(messages)
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("convert " + recording + ": " + Files.readString(messages.toPath()));
        }
    }
}
