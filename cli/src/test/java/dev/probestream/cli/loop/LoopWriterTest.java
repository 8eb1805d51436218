package dev.probestream.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TaskNames;
import dev.probestream.cli.live.TraceTimes;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a person sees, letter by letter, and what a script reads. */
class LoopWriterTest {
    private static final TraceTimes TIMES = new TraceTimes(0, 50_000_000_000_000L, ZoneId.of("UTC"));

    private final LineBuffer out = new LineBuffer();

    @Test
    void aTableHasARowForEachPhaseAndWhatRanInIt() {
        new LoopText(TIMES, false).table(table(), false, out);

        assertThat(text()).isEqualTo("""
                        [13:53:21] the last 1.0 s
                        NOT COUNTED: 2 hits were lost; turns they belong to are left out
                        process 10, thread 10 (?), the main loop: 1.0 turns/s, busy 25.0 %, active handles 3, requests 1
                          WHAT                            COUNT      TOTAL        P50        P99        MAX
                          turn (the loop's lag)               1   250.0 ms   250.0 ms   250.0 ms   250.0 ms
                          waiting                             1   500.0 ms   500.0 ms   500.0 ms   500.0 ms
                          poll                                1   600.0 ms   600.0 ms   600.0 ms   600.0 ms
                            stream I/O                        1   100.0 ms   100.0 ms   100.0 ms   100.0 ms
                        """);
    }

    @Test
    void aTableTakesThePlaceOfTheOneBeforeOnATerminalOnly() {
        new LoopText(TIMES, true).table(table(), false, out);
        assertThat(text()).startsWith("\u001b[H\u001b[J[13:53:21]");

        out.clear();
        new LoopText(TIMES, true).table(table(), true, out);
        assertThat(text()).startsWith("[13:53:21] since the start");
    }

    @Test
    void aSlowTurnIsFollowedByWhatRanInIt() {
        LoopText writer = new LoopText(TIMES, false);
        writer.slowHeader(out);
        writer.slow(turn(), "node\u001b", out);

        assertThat(text()).isEqualTo("""
                        TIME            PID     TID     COMM                  BUSY WHAT
                        13:53:21.064000 10      11      node\\x1b           64.0 ms
                                                                           60.0 ms timers
                                                                           50.0 ms   uv_fs_open /tmp/\\x1b[1m
                        """);
    }

    @Test
    void jsonTellsTheSame() throws Exception {
        LoopJson writer = new LoopJson(TIMES);
        writer.slowHeader(out);
        writer.slow(turn(), "node", out);
        writer.table(table(), true, out);

        List<String> lines = text().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .isEqualTo("{\"timeNs\":50001000000000,\"monotonicNs\":1000000000,\"durationNs\":64000000,\"pid\":10,"
                        + "\"tid\":11,\"comm\":\"node\",\"ran\":[{\"name\":\"timers\",\"monotonicNs\":1000000000,"
                        + "\"durationNs\":60000000,\"inside\":[{\"name\":\"uv_fs_open\",\"detail\":\"/tmp/\\u001b[1m\","
                        + "\"monotonicNs\":1001000000,\"durationNs\":50000000,\"inside\":[]}]}]}");
        JsonNode table = new ObjectMapper().readTree(lines.get(1));
        assertThat(table.get("isTotal").asBoolean()).isTrue();
        assertThat(table.get("lost").asInt()).isEqualTo(2);
        JsonNode loop = table.get("loops").get(0);
        assertThat(loop.get("activeHandles").asInt()).isEqualTo(3);
        assertThat(loop.get("turns").get("totalNs").asLong()).isEqualTo(250_000_000);
        assertThat(loop.get("phases").get(0).get("name").asText()).isEqualTo("poll");
        assertThat(loop.get("phases").get(0).get("maxNs").asLong()).isEqualTo(600_000_000);
    }

    /** A loop that waits half a second, calls back for 100 ms, and is busy for 150 ms more. */
    private static LoopTable table() {
        LoopHits hits = new LoopHits(0);
        hits.entersPoll(10, LoopHits.LOOP, 1_000_000_000);
        hits.runs(hits.streams, 10, 1_500_000_000, 100_000_000);
        hits.polls(10, LoopHits.LOOP, 1_000_000_000, 600_000_000);
        hits.entersPoll(10, LoopHits.LOOP, 1_750_000_000);
        LoopTable interval = hits.book.interval(0, 1_000_000_000, 2, new TaskNames());
        return new LoopTable(0, 1_000_000_000, interval.loops(), 2);
    }

    private static LoopTurn turn() {
        LoopTurn.Activity open =
                new LoopTurn.Activity("uv_fs_open", "/tmp/\u001b[1m", 1_001_000_000, 50_000_000, List.of());
        LoopTurn.Activity read = new LoopTurn.Activity("uv_fs_read", "", 1_052_000_000, 3_000_000, List.of());
        return new LoopTurn(
                10,
                11,
                1_000_000_000,
                64_000_000,
                List.of(new LoopTurn.Activity("timers", "", 1_000_000_000, 60_000_000, List.of(open, read))));
    }

    private String text() {
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }
}
