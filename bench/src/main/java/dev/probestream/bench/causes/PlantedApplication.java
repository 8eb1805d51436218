package dev.probestream.bench.causes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bench.node.Burners;
import dev.probestream.bench.node.NodeProgram;
import dev.probestream.bench.probe.Tool;
import dev.probestream.bench.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An application with one thing wrong that is put under load, recorded and reported.
 *
 * @param scratch takes the scripts and what they write; has the packages in node_modules
 * @param folder takes the recording and the report
 * @param home the folder of the sources
 * @param database the URL of a PostgreSQL
 * @param burners how many processes take CPU time meanwhile
 * @param times how many times the load of a quiet day
 */
record PlantedApplication(
        Path scratch, Path folder, Path home, String node, String database, String app, int burners, int times) {
    /** Of the name server that the C library asks: it knows no other port than 53. */
    private static final String NAME_SERVER = "127.0.0.77";

    private static final String ASKS_LIBRARY_C = "slow-lookup";
    private static final ObjectMapper JSON = new ObjectMapper();

    @SuppressWarnings("try") // the burners are only to run
    List<ReportedFinding> run() throws IOException {
        Path scripts = copyScripts();
        boolean asksLibraryC = app.equals(ASKS_LIBRARY_C);
        List<String> client =
                new ArrayList<>(List.of(node, scripts.resolve("client.js").toString()));
        List<String> server = new ArrayList<>(asksLibraryC ? withNameServer(scripts) : List.of());
        if (asksLibraryC) {
            client.add(NAME_SERVER);
        }
        server.addAll(List.of(node, scripts.resolve("server.js").toString(), app));
        Path recording = folder.resolve("recording.avro");
        try (NodeProgram load = NodeProgram.start(client);
                NodeProgram served = NodeProgram.start(server, environment(load));
                Burners busy = Burners.start(burners);
                Tool record = Tool.start(scratch, Tool.NOWHERE, recordCommand(served.pid(), recording))) {
            record.await("attach", () -> record.messages().contains("recording with "));
            String port = JSON.readTree(served.firstLine()).path("port").asText();
            load.ask("load " + app + " " + port + " " + times);
            record.finish();
        }
        Path report = folder.resolve("report.json");
        try (Tool tool = Tool.start(scratch, report, List.of(launcher(), "report", recording.toString(), "--json"))) {
            tool.awaitEnd();
        }
        return ReportedFinding.parse(Files.readString(report));
    }

    private String launcher() {
        return home.resolve("probestream").toString();
    }

    private List<String> recordCommand(long pid, Path recording) {
        return List.of(
                launcher(), "record", "-p", Long.toString(pid), "--probes", "incident", "-o", recording.toString());
    }

    private Map<String, String> environment(NodeProgram load) throws IOException {
        JsonNode addresses = JSON.readTree(load.firstLine());
        return Map.of(
                "PLANTED_BACKEND",
                addresses.path("backend").asText(),
                "PLANTED_DNS",
                addresses.path("dns").asText(),
                "PLANTED_DATABASE",
                database,
                "NODE_PATH",
                scratch.resolve("node_modules").toString());
    }

    /** A command in whose mount namespace, its own, names are asked of our name server. */
    private static List<String> withNameServer(Path scripts) throws IOException {
        Path resolver = Files.writeString(
                scripts.resolve("resolv.conf"), "nameserver " + NAME_SERVER + "\noptions timeout:5\n");
        String mount = "mount --bind " + resolver + " /etc/resolv.conf && exec \"$@\"";
        return List.of("unshare", "--mount", "sh", "-c", mount, "sh");
    }

    /** Git ignores folders with the name that packages need. */
    private Path copyScripts() throws IOException {
        Path source = home.resolve("cli/src/test/resources/testdata/planted");
        Path target = scratch.resolve("app");
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.sorted().toList()) {
                String name = source.relativize(file).toString().replaceFirst("^packages", "node_modules");
                Files.copy(file, target.resolve(name));
            }
        }
        return target;
    }
}
