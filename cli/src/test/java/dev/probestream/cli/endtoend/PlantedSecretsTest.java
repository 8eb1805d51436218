package dev.probestream.cli.endtoend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of traced programs are searched for in every byte of all outputs. */
@KernelTest(since = "5.8")
@Tag("deep")
class PlantedSecretsTest {
    private static final String SECRET = "PLANTED";
    /** The shell waits until its command line has been read. The last command is executed in its place and fails. */
    private static final List<String> COMMAND = List.of(
            "env",
            "API_KEY=PLANTED1",
            "sh",
            "-c",
            "sleep 0.3; /bin/true --password PLANTED2; exec /bin/sleep 0.3 --token=PLANTED3 'http://u:PLANTED4@h/?q=PLANTED5'"
                    + " -H 'Authorization: Bearer PLANTED6' 2>/dev/null");

    /** The arguments that each execve(2) is given: its path, and three words. */
    private static final String EXEC =
            "uprobe:libc.so.6:execve" + "(path=arg1:str, first=*arg2:str@8, second=*arg2:str@16, third=*arg2:str@24)";

    @TempDir
    private Path folder;

    @Test
    void plantedSecretsAreInNoOutput() throws Exception {
        Map<String, String> outputs = outputs(List.of());

        outputs.forEach((name, content) -> assertThat(content).as(name).doesNotContain(SECRET));
        assertThat(outputs.get("recording as JSON")).contains("--password", "--token=***", "http://***@h/?q=***");
        assertThat(outputs.get("captures")).contains("API_KEY=***");
    }

    /** Shows that the outputs above would have the secrets. */
    @Test
    void showArgsRecordsThem() throws Exception {
        Map<String, String> outputs = outputs(List.of("--show-args"));

        assertThat(outputs.get("recording as JSON")).contains("PLANTED1", "PLANTED2", "PLANTED3", "PLANTED6");
        assertThat(outputs.get("trace.json")).contains("PLANTED2", "PLANTED3");
        assertThat(outputs.get("events")).contains("PLANTED2");
        assertThat(outputs.get("captures")).contains("PLANTED1");
    }

    @Test
    void secretsInTitlesPathsAndNamesOfFilesAreInNoOutput() throws Exception {
        Map<String, String> outputs = outputsOfNode(List.of());

        outputs.forEach((name, content) -> assertThat(content).as(name).doesNotContain(SECRET));
        assertThat(outputs.get("recording as JSON"))
                .contains("/reset/***?q=***", "/cart;jsessionid=***", "/sessions/***", "w token=***");
    }

    /** Shows that the outputs above would have the secrets. */
    @Test
    void showPathsRecordsTokensInPathsAndShowArgsTitles() throws Exception {
        String json = outputsOfNode(List.of("--show-paths", "--show-args")).get("recording as JSON");

        assertThat(json)
                .contains("w token=PLANTED", "/sessions/PLANTED2x9y8", "/reset/PLANTED3x9y8?q=***")
                .doesNotContain("PLANTED4", "PLANTED5");
    }

    private Map<String, String> outputsOfNode(List<String> options) throws Exception {
        Path script = Files.writeString(folder.resolve("app.js"), """
                const fs = require('fs'), http = require('http'), path = require('path');
                process.title = 'w token=' + 'PLAN' + 'TED1';
                const secret = 'PLAN' + 'TED';
                fs.mkdirSync(path.join(__dirname, 'sessions'));
                const file = path.join(__dirname, 'sessions', secret + '2x9y8');
                fs.writeFileSync(file, '');
                fs.unlinkSync(file);
                const server = http.createServer((request, answer) => answer.end()).listen(0, '127.0.0.1', () => {
                  const get = (url, then) => http.get({port: server.address().port, path: url, agent: false},
                    answer => answer.resume().on('end', then));
                  get('/reset/' + secret + '3x9y8?q=' + secret + '4',
                    () => get('/cart;jsessionid=' + secret + '5', () => server.close()));
                });
                """);
        Map<String, String> outputs = new TreeMap<>();
        Path recording = folder.resolve("node.avro");
        List<String> record =
                List.of("record", "-o", recording.toString(), "--probes", "node-fs,node-http,syscalls:all,sched:all");
        List<String> command = List.of("--", NodeFixture.installedNode().path().toString(), script.toString());
        run(outputs, Stream.of(record, options, command).flatMap(List::stream).toArray(String[]::new));
        outputs.put("recording as JSON", json(recording));
        run(
                outputs,
                "convert",
                recording.toString(),
                "-o",
                folder.resolve("node.json").toString());
        outputs.put("trace", Files.readString(folder.resolve("node.json"), ISO_8859_1));
        outputs.put("bytes", Files.readString(recording, ISO_8859_1));
        return outputs;
    }

    private Map<String, String> outputs(List<String> options) throws Exception {
        Map<String, String> outputs = new TreeMap<>();
        Path recording = folder.resolve("recording.avro");
        run(
                outputs,
                Stream.of(
                                Stream.of(
                                        "record",
                                        "--follow",
                                        "-o",
                                        recording.toString(),
                                        "--probes",
                                        EXEC,
                                        "--probes",
                                        "syscalls:all,sched:all"),
                                options.stream(),
                                Stream.of("--"),
                                COMMAND.stream())
                        .flatMap(words -> words)
                        .toArray(String[]::new));
        outputs.put("recording as JSON", json(recording));
        for (String name : List.of("trace.pftrace", "trace.json", "tables/")) {
            run(outputs, "convert", recording.toString(), "-o", folder.resolve(name) + (name.endsWith("/") ? "/" : ""));
        }
        for (String table : List.of("captures", "processes", "events")) {
            outputs.put(
                    table,
                    run(
                            outputs,
                            "query",
                            folder.resolve("tables").toString(),
                            "SELECT * FROM " + table,
                            "--format",
                            "csv"));
        }
        run(
                outputs,
                "report",
                recording.toString(),
                "-o",
                folder.resolve("report.html").toString());
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                outputs.put(folder.relativize(file).toString(), Files.readString(file, ISO_8859_1));
            }
        }
        return outputs;
    }

    private static String run(Map<String, String> outputs, String... arguments) throws Exception {
        CommandRun run = CommandRun.run(arguments);
        String name = arguments[0] + " " + outputs.size();
        outputs.put(name, run.out() + String.join("\n", run.said()));
        assertThat(run.exitCode()).as(outputs.get(name)).isZero();
        return run.out();
    }

    private static String json(Path recording) throws IOException {
        StringBuilder json = new StringBuilder();
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(recording.toFile(), new GenericDatumReader<>())) {
            reader.forEach(record -> json.append(record).append('\n'));
        }
        return json.toString();
    }
}
