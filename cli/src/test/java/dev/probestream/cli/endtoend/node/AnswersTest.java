package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where answers end, and what becomes of those that do not, beside what the application saw (answers.js). */
@KernelTest(since = "5.8")
@Execution(ExecutionMode.CONCURRENT)
class AnswersTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void anAnswerEndsBeforeItsConnectionIsClosed(NodeBinary node) throws Exception {
        JsonNode closed = record(node, "kept").path("closed");

        List<Map<String, Object>> rows =
                rows("SELECT url, outcome, mono_ns + duration_ns AS end_ns", "side = 'SERVER'");
        assertThat(rows).hasSize(closed.size()).allSatisfy(row -> {
            assertThat(row).containsEntry("outcome", "COMPLETE");
            String url = String.valueOf(row.get("url"));
            assertThat((Long) row.get("end_ns"))
                    .as(url)
                    .isLessThan(closed.path(url).asLong());
        });
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void anAnswerThatIsCutIsNotComplete(NodeBinary node) throws Exception {
        record(node, "cut");

        assertThat(lines("concat_ws(' ', is_tls, url, status, outcome)", "side = 'SERVER'"))
                .containsExactly(
                        "false /cut 200 ABORTED",
                        "false /events 200 ABORTED",
                        "true /cut 200 ABORTED",
                        "true /events 200 ABORTED");
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatNodeAnswersByItselfIsARequest(NodeBinary node) throws Exception {
        record(node, "refused");

        assertThat(lines("concat_ws(' ', coalesce(url, '-'), status, outcome)", "side = 'SERVER'"))
                .containsExactly("- 400 COMPLETE", "- 431 COMPLETE", "/whole 200 COMPLETE");
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void theStatusOfGrpcIsThatOfTheAnswer(NodeBinary node) throws Exception {
        record(node, "grpc");

        assertThat(lines("concat_ws(' ', url, status, outcome, reply, error_code)", "side = 'SERVER'"))
                .containsExactly(
                        "/0/trailers 200 COMPLETE OK",
                        "/5/trailers 200 COMPLETE NOT_FOUND NOT_FOUND",
                        "/13/headers 200 COMPLETE INTERNAL INTERNAL",
                        "/none/trailers 200 COMPLETE");
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void aLookupThatFailsIsARequest(NodeBinary node) throws Exception {
        JsonNode seen = record(node, "names");

        List<String> errors = new ArrayList<>();
        seen.path("errors").forEach(error -> errors.add(error.asText()));
        assertThat(lines("concat_ws(' ', operation, error_code)", "protocol = 'dns'"))
                .hasSize(3)
                .containsExactlyElementsOf(errors);
        assertThat(lines("concat_ws(' ', side, peer_name, outcome)", "protocol = 'dns' AND duration_ns > 0"))
                .containsExactly(
                        "CLIENT lookup.invalid ABORTED", "CLIENT get.invalid ABORTED", "CLIENT query.invalid ABORTED");
    }

    private JsonNode record(NodeBinary node, String command) throws Exception {
        ProcessBuilder program = new ProcessBuilder(
                node.path().toString(),
                NodeFixture.copied(folder, "answers.js").toString(),
                NodeFixture.copied(folder, "truth/key.pem").toString(),
                NodeFixture.copied(folder, "truth/cert.pem").toString());
        List<String> options = new ArrayList<>(List.of("--budget", "off", "--show-query"));
        options.addAll(List.of("--probes", "node-http,node-http2,node-dns", "-o", tables() + "/"));
        try (NodeFixture answers = NodeFixture.start(program)) {
            options.addAll(0, List.of("record", "-p", answers.pid()));
            try (CommandRun record = CommandRun.start(options.toArray(String[]::new))) {
                record.awaitRecording();
                JsonNode seen = new ObjectMapper().readTree(answers.ask(command));
                assertThat(record.interrupt().end()).isZero();
                return seen;
            }
        }
    }

    private Path tables() {
        return folder.resolve("tables");
    }

    private List<String> lines(String expression, String where) throws SQLException {
        return rows("SELECT " + expression + " AS line", where).stream()
                .map(row -> String.valueOf(row.get("line")))
                .toList();
    }

    private List<Map<String, Object>> rows(String select, String where) throws SQLException {
        return DuckDb.rows(select + " FROM read_parquet('" + tables() + "/requests/**/*.parquet') WHERE " + where
                + " ORDER BY mono_ns");
    }
}
