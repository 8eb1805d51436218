package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The statuses that a client of gRPC gets (grpc.js) on connections that were open when the recording began. */
@KernelTest(since = "5.8")
class GrpcTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    private static final List<String> NAMES = List.of(
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void theStatusIsThatOfTheTrailersOrOfTheOnlyHeaders(NodeBinary node) throws Exception {
        List<Integer> codes = codes(record(node, "calls"));

        assertThat(codes).containsExactly(0, 5, 13, 0, 5, 13);
        assertThat(requests())
                .containsExactly(
                        "/shop.Cart/Get0 200 COMPLETE OK",
                        "/shop.Cart/Get5 200 COMPLETE NOT_FOUND NOT_FOUND",
                        "/shop.Cart/Get13 200 COMPLETE INTERNAL INTERNAL",
                        "/shop.Cart/List0 200 COMPLETE OK",
                        "/shop.Cart/List5 200 COMPLETE NOT_FOUND NOT_FOUND",
                        "/shop.Cart/List13 200 COMPLETE INTERNAL INTERNAL");
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void eachOfManyCallsOnOneConnectionHasItsOwnStatus(NodeBinary node) throws Exception {
        List<Integer> codes = codes(record(node, "together"));

        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 34; i++) {
            int code = i / 2;
            assertThat(codes.get(i)).isEqualTo(code);
            String name = NAMES.get(code);
            String method = (i % 2 == 0 ? "Get" : "List") + code;
            expected.add("/shop.Cart/" + method + " 200 COMPLETE " + name + (code == 0 ? "" : " " + name));
        }
        assertThat(requests()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void aCallThatTheClientEndsHasNoStatus(NodeBinary node) throws Exception {
        List<Integer> codes = codes(record(node, "unanswered"));

        assertThat(codes)
                .containsExactly(
                        NAMES.indexOf("CANCELLED"), NAMES.indexOf("CANCELLED"), NAMES.indexOf("DEADLINE_EXCEEDED"));
        assertThat(requests())
                .containsExactly(
                        "/shop.Cart/Hang ABORTED CANCEL",
                        "/shop.Cart/HangBehindMessage 200 ABORTED CANCEL",
                        "/shop.Cart/Hang ABORTED CANCEL");
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void whatIsNoStatusOfGrpcIsNone(NodeBinary node) throws Exception {
        record(node, "others");

        assertThat(requests())
                .containsExactly(
                        "/other/last 200 COMPLETE PERMISSION_DENIED PERMISSION_DENIED",
                        "/other/none 200 COMPLETE",
                        "/other/twice 200 COMPLETE",
                        "/other/text 200 COMPLETE",
                        "/other/headers 200 COMPLETE",
                        "/other/early 200 COMPLETE UNAUTHENTICATED UNAUTHENTICATED");
    }

    private JsonNode record(NodeBinary node, String command) throws Exception {
        ProcessBuilder program = new ProcessBuilder(
                node.path().toString(), NodeFixture.copied(folder, "grpc.js").toString());
        program.environment().put("NODE_PATH", NodeApps.modules().toString());
        try (NodeFixture calls = NodeFixture.start(program)) {
            calls.ask("open");
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-p",
                    calls.pid(),
                    "--budget",
                    "off",
                    "--probes",
                    "node-http2",
                    "-o",
                    folder.resolve("tables") + "/")) {
                record.awaitRecording();
                JsonNode seen = new ObjectMapper().readTree(calls.ask(command));
                assertThat(record.interrupt().end()).isZero();
                return seen;
            }
        }
    }

    private static List<Integer> codes(JsonNode seen) {
        List<Integer> codes = new ArrayList<>();
        seen.forEach(code -> codes.add(code.asInt()));
        return codes;
    }

    private List<String> requests() throws Exception {
        return DuckDb.rows("SELECT concat_ws(' ', url, status, outcome, reply, error_code) AS line FROM read_parquet('"
                        + folder.resolve("tables")
                        + "/requests/**/*.parquet') WHERE side = 'CLIENT' ORDER BY mono_ns")
                .stream()
                .map(row -> String.valueOf(row.get("line")))
                .toList();
    }
}
