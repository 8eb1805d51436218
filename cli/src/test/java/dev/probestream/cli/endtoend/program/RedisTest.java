package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.endtoend.fixture.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The probe set redis on the Redis of the machine. */
@KernelTest(since = "5.8")
class RedisTest {
    @TempDir
    private Path folder;

    @Test
    void everyCommandIsRecordedOnceWithItsTexts() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (RedisServer redis = RedisServer.start();
                RedisServer.Connection client = redis.connect();
                CommandRun record = CommandRun.start(
                        "record", "-p", redis.pid(), "-o", recording.toString(), "--probes", "redis")) {
            String id = client.ask("client", "id").substring(1);
            record.awaitRecording();

            assertThat(client.ask("set", "octi", "fest")).isEqualTo("+OK");
            assertThat(client.ask("get", "octi")).isEqualTo("fest");
            assertThat(client.ask("ping")).isEqualTo("+PONG");
            assertThat(client.ask("mset", "a", "1", "b", "2")).isEqualTo("+OK");
            assertThat(client.ask("auth", "default", "planted")).isEqualTo("+OK");
            assertThat(client.ask("auht", "planted")).startsWith("-ERR unknown command");
            assertThat(client.ask("get")).startsWith("-ERR wrong number of arguments");

            assertThat(record.interrupt().end()).isZero();
            RecordedFile recorded = RecordedFile.read(recording);
            assertThat(recorded.lost()).isZero();
            assertThat(recorded.events("command"))
                    .extracting(RecordedEvent::texts)
                    .containsExactly(
                            List.of("set", "octi", "fest"),
                            List.of("get", "octi"),
                            List.of("ping"),
                            List.of("mset", "a", "1"),
                            List.of("auth", "***", "***"));
            assertThat(recorded.events("command"))
                    .extracting(event -> event.argument("arguments"))
                    .containsExactly(3L, 2L, 1L, 5L, 3L);
            assertThat(recorded.events("command"))
                    .allMatch(event -> event.durationNs() > 0)
                    .allMatch(event -> event.argument("client_id").equals(Long.valueOf(id)));
            assertThat(recorded.events("command refused"))
                    .extracting(event -> event.texts().get(0))
                    .satisfiesExactly(
                            reply -> assertThat(reply)
                                    .contains("unknown command")
                                    .doesNotContain("planted"),
                            reply -> assertThat(reply).contains("wrong number of arguments"));
        }
    }

    @Test
    void commandsOfAScriptLieInsideIt() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (RedisServer redis = RedisServer.start();
                RedisServer.Connection client = redis.connect();
                CommandRun record = CommandRun.start(
                        "record", "-p", redis.pid(), "-o", recording.toString(), "--probes", "redis")) {
            record.awaitRecording();
            String script = "return redis.call('set', KEYS[1], ARGV[1])";
            assertThat(client.ask("eval", script, "1", "octi", "fest")).isEqualTo("+OK");

            assertThat(record.interrupt().end()).isZero();
        }

        // A span is written when it ends.
        List<RecordedEvent> commands = RecordedFile.read(recording).events("command");
        assertThat(commands).extracting(event -> event.texts().get(0)).containsExactly("set", "eval");
        RecordedEvent inner = commands.get(0);
        RecordedEvent outer = commands.get(1);
        assertThat(inner.timestampNs()).isGreaterThan(outer.timestampNs());
        assertThat(inner.timestampNs() + inner.durationNs()).isLessThan(outer.timestampNs() + outer.durationNs());
    }

    @Test
    void expiryAndSnapshotsAreRecorded() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (RedisServer redis = RedisServer.start();
                RedisServer.Connection client = redis.connect();
                CommandRun record = CommandRun.start(
                        "record", "-p", redis.pid(), "-o", recording.toString(), "--probes", "redis")) {
            record.awaitRecording();
            client.ask("set", "short", "lived", "px", "1");
            while (!client.ask("dbsize").equals(":0")) {
                Thread.onSpinWait();
            }
            assertThat(client.ask("save")).isEqualTo("+OK");

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.events("key expired"))
                .singleElement()
                .extracting(RecordedEvent::texts)
                .isEqualTo(List.of("short"));
        assertThat(recorded.events("RDB save")).singleElement().matches(event -> event.returnValue() == 0);
        assertThat(recorded.events("cron")).isNotEmpty();
    }

    @Test
    void textsAreRecordedByTheirLength() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (RedisServer redis = RedisServer.start();
                RedisServer.Connection client = redis.connect();
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        redis.pid(),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "uprobe:createStringObject(text=arg1:str[arg2], length=arg2:u64)")) {
            record.awaitRecording();
            client.ask("set", "octi", "fest");
            client.ask("get", "octi");

            assertThat(record.interrupt().end()).isZero();
        }

        List<Map<String, Object>> texts = new ArrayList<>();
        Stream.of("set", "octi", "fest", "get", "octi")
                .forEach(text -> texts.add(Map.of("text", text, "length", (long) text.length())));
        assertThat(RecordedFile.read(recording).events("createStringObject"))
                .extracting(RecordedEvent::arguments)
                .containsExactlyElementsOf(texts);
    }

    @Test
    void theTraceShowsWhatAClientSends() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisServer.Connection client = redis.connect();
                CommandRun trace = CommandRun.start(
                        "trace", "-p", redis.pid(), "-M", "5", "u:createStringObject(text=arg1:str[arg2])")) {
            trace.await("tracing with ");
            client.ask("set", "octi", "fest");
            client.ask("get", "octi");

            assertThat(trace.end()).isZero();
            assertThat(trace.out().lines().skip(1))
                    .hasSize(5)
                    .allMatch(line -> line.contains(" redis-server ") && line.contains(" createStringObject "))
                    .extracting(line -> line.substring(line.indexOf("text=")))
                    .containsExactly("text=\"set\"", "text=\"octi\"", "text=\"fest\"", "text=\"get\"", "text=\"octi\"");
        }
    }
}
