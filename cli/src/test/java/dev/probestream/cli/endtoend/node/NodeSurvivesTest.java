package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * V8 walks the stack when it collects garbage, and ends the process when it meets an address that is not of its code. The
 * kernel's probes on returns put such addresses there: never where V8 looks.
 */
@KernelTest(since = "5.8")
class NodeSurvivesTest {
    /** Collects garbage wherever JavaScript runs: in each kind of callback, and in microtasks of the tick queue. */
    private static final String APP = """
            const fs = require('fs'), crypto = require('crypto'), http = require('http')
            const places = {
              timer: next => setTimeout(next, 1),
              immediate: next => setImmediate(next),
              tick: next => process.nextTick(next),
              microtask: next => Promise.resolve().then(next),
              tickMicrotask: next => process.nextTick(() => Promise.resolve().then(next)),
              fs: next => fs.stat(__filename, next),
              sync: next => { fs.statSync(__filename); next() },
              pool: next => crypto.pbkdf2('a', 'b', 1, 32, 'sha512', next),
              http: next => http.get({ port, agent: false }, answer => answer.resume().on('end', next)),
            }
            const server = http.createServer((request, response) => { gc(); response.end('x') }).listen(0, '127.0.0.1')
            let port
            function collect() {
              return Object.values(places).reduce((done, go) =>
                done.then(() => new Promise(resolve => go(() => { gc({ type: 'minor' }); gc(); resolve() }))), Promise.resolve())
            }
            server.on('listening', () => { port = server.address().port; console.log('ready') })
            require('readline').createInterface({ input: process.stdin })
              .on('line', () => collect().then(collect).then(() => console.log('alive')))
            """;

    @TempDir
    private Path folder;

    NodeSurvivesTest() {
        folder = Path.of("");
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.cli.endtoend.fixture.NodeVersions#all")
    void garbageIsCollectedInEveryCallbackWhileAllIsRecorded(NodeBinary node) throws Exception {
        Path app = Files.writeString(folder.resolve("app.js"), APP);
        try (NodeFixture program =
                        NodeFixture.start(new ProcessBuilder(node.path().toString(), "--expose-gc", app.toString()));
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        program.pid(),
                        "--probes",
                        "incident",
                        "-o",
                        folder.resolve("a.avro").toString())) {
            record.awaitRecording();

            assertThat(program.ask("collect")).isEqualTo("alive");
            assertThat(record.interrupt().end()).isZero();
        }
    }

    @Test
    void returnsOfFunctionsThatJavaScriptCallsAreRefused() throws Exception {
        Path app = Files.writeString(folder.resolve("app.js"), APP);
        try (NodeFixture program = NodeFixture.start(
                new ProcessBuilder(NodeFixture.installedNode().path().toString(), app.toString()))) {
            CommandRun record = CommandRun.run(
                    "record",
                    "-p",
                    program.pid(),
                    "--probes",
                    "span:node::fs::Open",
                    "-o",
                    folder.resolve("a.avro").toString());

            assertThat(record.exitCode()).isEqualTo(1);
            assertThat(String.join(" ", record.said()))
                    .contains("JavaScript calls node::fs::Open directly, and span replaces its return address")
                    .contains("Use uprobe: on it, or span: on what it calls");
        }
    }
}
