package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.perfetto.FtraceEvent;
import dev.probestream.schema.perfetto.SchedSwitchFtraceEvent;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Context switches, recorded only where a traced thread (of process 100) leaves or comes. */
class SchedulingTest {
    @TempDir
    private Path folder;

    SchedulingTest() {
        folder = Path.of("");
    }

    @Test
    void whatLeavesACpuIsAlwaysWhatCameToItBefore() throws IOException {
        List<FtraceEvent> events = switches(recording -> recording
                .cpuSwitch(8, START_NS + 10, 100, 1, "node", 300, "cron")
                .cpuSwitch(8, START_NS + 20, 400, 1, "bash", 100, "node")
                .cpuSwitch(8, START_NS + 30, 101, 1, "worker", 0, "swapper/0"));
        int running = -1;
        for (FtraceEvent event : events) {
            SchedSwitchFtraceEvent change = event.getSchedSwitch();
            if (running != -1) {
                assertThat(change.getPrevPid()).isEqualTo(running);
            }
            running = change.getNextPid();
        }
        assertThat(events).hasSize(4); // one was put in: how the worker came was not recorded
    }

    @Test
    void foreignThreadIsShownIfItIsKnownHowLongItRan() throws IOException {
        List<FtraceEvent> events = switches(recording -> recording
                .cpuSwitch(8, START_NS + 10, 100, 1, "node", 300, "cron")
                .cpuSwitch(8, START_NS + 20, 300, 1, "cron", 100, "node"));
        assertThat(events.get(0).getSchedSwitch().getNextComm()).isEqualTo("cron");
    }

    @Test
    void cpuIsIdleWhereNobodyKnowsWhatRan() throws IOException {
        List<FtraceEvent> events = switches(recording -> recording
                .cpuSwitch(8, START_NS + 10, 100, 1, "node", 300, "cron")
                .cpuSwitch(8, START_NS + 20, 400, 1, "bash", 100, "node"));
        assertThat(events.get(0).getSchedSwitch().getNextPid()).isZero();
        assertThat(events.get(1).getSchedSwitch().getPrevPid()).isZero();
    }

    @Test
    void timesAreBoottimeAndFollowASuspend() throws IOException {
        // TestRecording's boottime is 500 ns ahead at the start; then the machine sleeps for a second.
        List<FtraceEvent> events = switches(recording -> recording
                .cpuSwitch(8, START_NS + 10, 100, 1, "node", 0, "swapper/0")
                .clock(START_NS + 15, START_NS + 1_000_000_515, 1)
                .cpuSwitch(8, START_NS + 20, 0, 0, "swapper/0", 100, "node"));
        assertThat(events.get(0).getTimestamp()).isEqualTo(START_NS + 510);
        assertThat(events.get(1).getTimestamp()).isEqualTo(START_NS + 1_000_000_520);
    }

    @Test
    void rawTaskStatesBecomeWhatTheTracepointReports() throws IOException {
        List<FtraceEvent> events = switches(recording -> recording
                .cpuSwitch(8, START_NS + 10, 100, 0x402, "node", 0, "swapper/0")
                .cpuSwitch(8, START_NS + 20, 0, 0, "swapper/0", 100, "node")
                .cpuSwitch(8, START_NS + 30, 100, 0x2001, "node", 0, "swapper/0")
                .cpuSwitch(8, START_NS + 40, 0, 0, "swapper/0", 100, "node")
                .cpuSwitch(8, START_NS + 50, 100, 0x100, "node", 0, "swapper/0"));
        assertThat(events)
                .extracting(event -> event.getSchedSwitch().getPrevState())
                .containsExactly(0x80L, 0L, 1L, 0L, 0x100L);
    }

    @Test
    void statesOfAThreadFollowEachOtherWithoutGapOrOverlap() throws IOException {
        List<String> states = states(recording -> recording
                .cpuSwitch(8, START_NS + 10, 0, 0, "swapper/0", 101, "worker")
                .cpuSwitch(8, START_NS + 20, 101, 0, "worker", 300, "cron")
                .cpuSwitch(8, START_NS + 30, 300, 1, "cron", 101, "worker")
                .waking(9, START_NS + 35, 101, "worker", 0)
                .cpuSwitch(8, START_NS + 40, 101, 1, "worker", 0, "swapper/0")
                .onCpu(1)
                .waking(9, START_NS + 50, 101, "worker", 1)
                .cpuSwitch(8, START_NS + 60, 0, 0, "swapper/1", 101, "worker")
                .cpuSwitch(8, START_NS + 70, 101, 2, "worker", 0, "swapper/1"));
        assertThat(states)
                .containsExactly(
                        "running 10..20",
                        "runnable 20..30",
                        "running 30..40",
                        "sleeping 40..50",
                        "runnable 50..60",
                        "running 60..70",
                        "uninterruptible sleep 70..100");
    }

    @Test
    void stackOfASwitchIsAnInstantOnTheThreadThatLeaves() throws IOException {
        Path output = convert(
                "stack.json",
                recording -> recording
                        .stack(
                                5,
                                Frame.newBuilder()
                                        .setSymbol("schedule")
                                        .setModule("[kernel]")
                                        .setOffset(1)
                                        .setKind(FrameKind.KERNEL)
                                        .build())
                        .withStack(5)
                        .cpuSwitch(8, START_NS + 10, 101, 1, "worker", 0, "swapper/0"));
        assertThat(Files.readString(output))
                .contains(
                        "{\"ph\":\"i\",\"name\":\"sched_switch\",\"cat\":\"sched\",\"ts\":1000000.010,\"pid\":100,\"tid\":101,"
                                + "\"s\":\"t\",\"args\":{\"stack\":[\"schedule\"]}}");
    }

    private interface Content {
        TestRecording write(TestRecording recording) throws IOException;
    }

    private Path convert(String name, Content content) throws IOException {
        Path file = folder.resolve("sched.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture()
                    .probe(8, "sched_switch", "sched", EventKind.SWITCH)
                    .probe(9, "sched_waking", "sched", EventKind.WAKING)
                    .process(100, "node", START_NS - 1_000_000_000, "node")
                    .thread(100, 100, "node")
                    .thread(100, 101, "worker");
            content.write(recording).end(START_NS + 100, 0);
        }
        Path output = folder.resolve(name);
        ConversionOutcome outcome = Conversion.run(List.of(file), output, RecordingRange.ALL);
        assertThat(outcome.events().written()).isEqualTo(outcome.events().read());
        return output;
    }

    private List<FtraceEvent> switches(Content content) throws IOException {
        List<FtraceEvent> events = new ArrayList<>();
        Trace.parseFrom(Files.readAllBytes(convert("sched.pftrace", content)))
                .getPacketList()
                .forEach(packet -> events.addAll(packet.getFtraceEvents().getEventList()));
        return events;
    }

    /** Of the thread 101, in nanoseconds since the start. */
    @Test
    void aTimeOffTheCpuThatIsASpanIsAStateAndTheTimeBetweenIsUnknown() throws IOException {
        List<String> states = states(recording -> recording
                .withRole(Role.SCHED_OFF)
                .probe(
                        70,
                        "off CPU",
                        "sched",
                        EventKind.SPAN,
                        TestRecording.argument("state", "s64", ""),
                        TestRecording.argument("runnable_ns", "s64", "ns"))
                .on(100, 101)
                .withNumbers(1, 20)
                .span(70, START_NS + 10, START_NS + 100)
                .withNumbers(0x100, 50)
                .span(70, START_NS + 150, START_NS + 200));
        assertThat(states)
                .containsSubsequence("sleeping 10..80", "runnable 80..100", "runnable 150..200")
                .noneMatch(state -> state.startsWith("running"));
    }

    private List<String> states(Content content) throws IOException {
        record State(String name, long fromNs, long toNs) {}
        List<State> states = new ArrayList<>();
        JsonNode trace = new ObjectMapper().readTree(Files.readAllBytes(convert("sched.json", content)));
        for (JsonNode event : trace.get("traceEvents")) {
            if (event.get("ph").asText().equals("X") && event.get("pid").asInt() == 100) {
                long fromNs = Math.round(event.get("ts").asDouble() * 1000) - START_NS;
                long durationNs = Math.round(event.get("dur").asDouble() * 1000);
                states.add(new State(event.get("name").asText(), fromNs, fromNs + durationNs));
            }
        }
        return states.stream()
                .sorted(Comparator.comparingLong(State::fromNs))
                .map(state -> state.name + " " + state.fromNs + ".." + state.toNs)
                .toList();
    }
}
