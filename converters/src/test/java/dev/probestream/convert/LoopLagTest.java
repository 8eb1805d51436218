package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.GapReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probe 1 is the poll of a loop, probe 2 a callback in it, probe 3 means nothing, 4 is the waiting alone, 5 the time without a CPU. */
class LoopLagTest {
    private static final int POLL = 1;
    private static final int CALLBACK = 2;
    private static final int OTHER = 3;
    private static final int WAIT = 4;
    private static final int OFF_CPU = 5;
    private static final long LOOP = 0xf00;
    private static final long INNER_LOOP = 0xbaa;

    @TempDir
    private Path folder;

    LoopLagTest() {
        folder = Path.of("");
    }

    @Test
    void turnIsBusyFromTheFirstCallbackInThePollToTheNextPoll() throws IOException {
        assertThat(lags(true, recording -> {
                    span(recording, CALLBACK, 20, 30);
                    span(recording, CALLBACK, 35, 40);
                    poll(recording, LOOP, 10, 45);
                    poll(recording, LOOP, 70, 75);
                }))
                .containsExactly("loop lag 50@20");
    }

    @Test
    void pollWithoutACallbackWaitedToItsEnd() throws IOException {
        assertThat(lags(true, recording -> {
                    poll(recording, LOOP, 10, 45);
                    span(recording, CALLBACK, 50, 55);
                    poll(recording, LOOP, 70, 75);
                    poll(recording, LOOP, 76, 77);
                }))
                .containsExactly("loop lag 25@45", "loop lag 1@75");
    }

    @Test
    void turnInWhichTheLoopWasNotWatchedIsNone() throws IOException {
        assertThat(lags(true, recording -> {
                    poll(recording, LOOP, 10, 45);
                    recording.gap("node-loop", 0, START_NS + 50, START_NS + 90, GapReason.BUDGET);
                    poll(recording, LOOP, 120, 130);
                    poll(recording, LOOP, 150, 160);
                }))
                .containsExactly("loop lag 20@130");
    }

    @Test
    void whatMeansNothingDoesNotEndTheWaiting() throws IOException {
        assertThat(lags(true, recording -> {
                    span(recording, OTHER, 12, 13);
                    span(recording, CALLBACK, 20, 30);
                    poll(recording, LOOP, 10, 45);
                    poll(recording, LOOP, 70, 75);
                }))
                .containsExactly("loop lag 50@20");
    }

    @Test
    void threadWithoutACpuStillWaits() throws IOException {
        assertThat(lags(true, recording -> {
                    span(recording.withNumbers(1, 0), OFF_CPU, 15, 40);
                    poll(recording, LOOP, 10, 45);
                    poll(recording, LOOP, 70, 75);
                }))
                .containsExactly("loop lag 25@45");
    }

    @Test
    void spansOfWaitingAloneAreEnough() throws IOException {
        assertThat(lags(false, recording -> {
                    await(recording, LOOP, 10, 20);
                    span(recording.withNumbers(1, 0), OFF_CPU, 32, 38);
                    await(recording, LOOP, 30, 40);
                    await(recording, LOOP, 75, 75);
                    poll(recording, LOOP, 29, 60);
                }))
                .containsExactly("loop lag 10@20", "loop lag 35@40");
    }

    @Test
    void betweenTwoLoopsInsideCallbacksIsNoTurnOfTheirs() throws IOException {
        assertThat(lags(false, recording -> {
                    await(recording, LOOP, 10, 12);
                    await(recording, INNER_LOOP, 20, 22);
                    await(recording, INNER_LOOP, 25, 26);
                    await(recording, LOOP, 30, 40);
                    await(recording, INNER_LOOP, 60, 62);
                    await(recording, LOOP, 70, 80);
                }))
                .containsExactly("loop lag, loop 2 3@22", "loop lag 18@12", "loop lag 30@40");
    }

    @Test
    void loopsOfWorkersHaveCountersOfTheirOwn() throws IOException {
        assertThat(lags(true, recording -> {
                    poll(recording, LOOP, 10, 20);
                    poll(recording.on(100, 101), LOOP + 1, 12, 22);
                    poll(recording.on(100, 100), LOOP, 30, 40);
                    poll(recording.on(100, 101), LOOP + 1, 35, 45);
                }))
                .containsExactly("loop lag 10@20", "loop lag of worker 101 13@22");
    }

    @Test
    void loopThatRunsInsideACallbackDoesNotHideTheTurnAroundIt() throws IOException {
        assertThat(lags(true, recording -> {
                    poll(recording, INNER_LOOP, 30, 40);
                    poll(recording, INNER_LOOP, 50, 60);
                    poll(recording, LOOP, 10, 70);
                    poll(recording, LOOP, 80, 90);
                }))
                .containsExactly("loop lag, loop 2 10@40", "loop lag 50@30");
    }

    @Test
    void withoutProbesOfCallbacksTheWaitingIsNotKnown() throws IOException {
        assertThat(lags(false, recording -> {
                    poll(recording, LOOP, 10, 45);
                    poll(recording, LOOP, 70, 75);
                }))
                .isEmpty();
    }

    private interface Content {
        void write(TestRecording recording) throws IOException;
    }

    private static void await(TestRecording recording, long loop, long fromNs, long toNs) throws IOException {
        span(recording.withNumbers(loop, -1), WAIT, fromNs, toNs);
    }

    private static void poll(TestRecording recording, long loop, long fromNs, long toNs) throws IOException {
        span(recording.withNumbers(-1, loop), POLL, fromNs, toNs);
    }

    private static void span(TestRecording recording, int probe, long fromNs, long toNs) throws IOException {
        recording.span(probe, START_NS + fromNs, START_NS + toNs);
    }

    /** Name, value and nanoseconds since the start of each value of a lag, in the order of the file. */
    private List<String> lags(boolean knowsCallbacks, Content content) throws IOException {
        Path file = folder.resolve("loop.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture()
                    .thread(100, 100, "node")
                    .thread(100, 101, "worker")
                    .withRole(Role.LOOP_POLL)
                    .probe(
                            POLL,
                            "poll",
                            "node-loop",
                            EventKind.SPAN,
                            argument("timeout_ms", "s32", ""),
                            argument("loop", "ptr", ""));
            if (knowsCallbacks) {
                recording.withRole(Role.LOOP_CALLBACK).probe(CALLBACK, "callback", "node-loop", EventKind.SPAN);
            }
            recording
                    .withRole(Role.SCHED_OFF)
                    .probe(
                            OFF_CPU,
                            "off CPU",
                            "sched",
                            EventKind.SPAN,
                            argument("state", "s64", ""),
                            argument("runnable_ns", "s64", "ns"));
            if (!knowsCallbacks) {
                recording
                        .withRole(Role.LOOP_WAIT)
                        .probe(
                                WAIT,
                                "event wait",
                                "node-turns",
                                EventKind.SPAN,
                                argument("loop", "s32", ""),
                                argument("timeout_ms", "s32", ""));
            }
            content.write(recording.probe(OTHER, "other", "user", EventKind.SPAN));
            recording.end(START_NS + 100, 0);
        }
        Path output = folder.resolve("loop.json");
        Conversion.run(List.of(file), output, RecordingRange.ALL);
        List<String> lags = new ArrayList<>();
        for (JsonNode event :
                new ObjectMapper().readTree(Files.readAllBytes(output)).get("traceEvents")) {
            if (event.get("ph").asText().equals("C")) {
                long atNs = Math.round(event.get("ts").asDouble() * 1000) - START_NS;
                lags.add(event.get("name").asText() + " " + event.at("/args/ns").asLong() + "@" + atNs);
            }
        }
        return lags;
    }
}
