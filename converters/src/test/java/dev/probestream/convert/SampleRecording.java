package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;

import dev.probestream.schema.Frames;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.recording.RecordingException;
import java.nio.file.Path;
import java.util.Map;

/** A recording that has a bit of everything a trace can show. */
final class SampleRecording {
    static final int EVENTS = 22;

    private SampleRecording() {}

    static Path write(Path file) throws RecordingException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            probes(recording);
            recording
                    .process(100, "node", START_NS - 1_000_000_000L, "node", "server.js")
                    .thread(100, 101, "libuv-worker")
                    .thread(100, 100, "node");
            loop(recording);
            pool(recording);
            scheduling(recording);
            recording
                    .clock(START_NS + 60_000, START_NS + 60_530, 1_700_000_000_000_060_000L)
                    .loss(2, 1, START_NS + 50_000, START_NS + 55_000, 3)
                    .on(100, 100)
                    .hitSummary(5, START_NS, START_NS + 50_000, 40, 2, 90_000, 9_000, 30L, 0L, 8L, 1L, 0L, 1L)
                    .on(100, 101)
                    .hitSummary(5, START_NS, START_NS + 50_000, 60, 0, 1_000_000, 900_000, 59L, 0L, 0L, 0L, 0L, 1L)
                    .hitSummary(5, START_NS + 50_000, START_NS + 100_000, 10, 0, 3_000, 300, 10L)
                    .gap("node-fs", 0, START_NS + 70_000, START_NS + 80_000, GapReason.BUDGET)
                    .gap("node-loop", 1, START_NS + 60_000, START_NS + 100_000, GapReason.HIT_RATE)
                    .cost(
                            START_NS,
                            START_NS + 50_000,
                            40_000,
                            new ProbeCost(1, 12L, 1_000L, 700L),
                            new ProbeCost(5, 100L, 100L, 200L))
                    .cost(START_NS + 50_000, START_NS + 100_000, 8_000)
                    .end(START_NS + 100_000, 3);
        }
        return file;
    }

    private static void probes(TestRecording recording) throws RecordingException {
        recording
                .withDerivedEnd()
                .probe(1, "uv_run", "node-loop", EventKind.SPAN, argument("mode", "s32", ""))
                .probe(
                        2,
                        "uv_fs_open",
                        "node-fs",
                        EventKind.SPAN,
                        "s32",
                        "errno",
                        argument("request", "ptr", "", FlowStep.START, Map.of()),
                        argument("path", "str", ""),
                        argument("flags", "s32", "flags"))
                .probe(
                        3,
                        "uv__fs_work",
                        "node-fs",
                        EventKind.SPAN,
                        argument("request", "ptr", "", FlowStep.STEP, Map.of()))
                .probe(
                        4,
                        "uv__fs_done",
                        "node-fs",
                        EventKind.SPAN,
                        argument("request", "ptr", "", FlowStep.END, Map.of()),
                        argument("result", "s64", "errno"))
                .probe(5, "openat", "syscalls", EventKind.SPAN, "s64", "errno", argument("dfd", "s32", ""))
                .probe(
                        6,
                        "gc",
                        "node-gc",
                        EventKind.INSTANT,
                        argument("type", "s32", "", FlowStep.NONE, Map.of("1", "scavenge")),
                        argument("forced", "bool", ""),
                        argument("isolate", "u64", ""))
                .probe(
                        7,
                        "heap",
                        "node-gc",
                        EventKind.COUNTER,
                        argument("used", "u64", "bytes"),
                        argument("objects", "u64", "count"))
                .probe(8, "sched_switch", "sched", EventKind.SWITCH)
                .probe(9, "sched_waking", "sched", EventKind.WAKING);
        recording.stack(
                0x5EED,
                frame("handle_mm_fault", "[kernel]", 0xffffffff81000010L, FrameKind.KERNEL),
                frame("v8::internal::Heap::CollectGarbage(int)", "/usr/bin/node", 0x1000, FrameKind.NATIVE),
                frame("", "/usr/lib/libc.so.6", 0x2a1ca, FrameKind.NATIVE),
                Frames.of("readConfig", "", 0x7f0000001000L, FrameKind.JS, "/srv/app.js", 12),
                javaScript("parse", 30, 31, 9).setIsInlined(true).build(),
                javaScript("", 30, 34, 5)
                        .setSourceFile("/srv/src/app.ts")
                        .setSourceLine(51)
                        .build(),
                javaScript("", 30, 35, 5).build(),
                frame("JavaScript (interpreted), 2 frames", "/usr/bin/node", 0x2000, FrameKind.JS),
                javaScript("serve", 40, 41, 11).setIsAsync(true).build());
    }

    private static Frame.Builder javaScript(String symbol, int line, int callLine, int callColumn) {
        return Frame.newBuilder()
                .setSymbol(symbol)
                .setModule("")
                .setOffset(0x7f0000002000L)
                .setKind(FrameKind.JS)
                .setFile("/srv/app.js")
                .setLine(line)
                .setColumn(7)
                .setCallLine(callLine)
                .setCallColumn(callColumn);
    }

    private static Frame frame(String symbol, String module, long offset, FrameKind kind) {
        return Frame.newBuilder()
                .setSymbol(symbol)
                .setModule(module)
                .setOffset(offset)
                .setKind(kind)
                .build();
    }

    /** The main thread: a turn of the loop with a file opened in it, and one that had not ended. */
    private static void loop(TestRecording recording) throws RecordingException {
        recording
                .on(100, 100)
                .withNumbers(0x7f10_0000_1000L, 0x80042)
                .withStrings("/srv/naïve \"file\".txt")
                .withReturn(0)
                .span(2, START_NS + 2_000, START_NS + 4_000)
                .withNumbers(1, 1, -1)
                .withStack(0x5EED)
                .instant(6, START_NS + 5_000)
                .counter(7, START_NS + 6_000, 4_194_304, 1_234)
                .withNumbers(0x7f10_0000_1000L, -2)
                .span(4, START_NS + 20_000, START_NS + 22_000)
                .withNumbers(0)
                .withUnavailable(1)
                .span(1, START_NS + 1_000, START_NS + 30_000)
                .counter(7, START_NS + 31_000, 5_000_000, 1_300)
                .withNumbers(0)
                .openSpan(1, START_NS + 40_000);
    }

    /** The pool's thread: the work, a system call in it, a span that overlaps it, and one whose end was lost. */
    private static void pool(TestRecording recording) throws RecordingException {
        recording
                .on(100, 101)
                .onCpu(1)
                .withNumbers(-100)
                .withReturn(-2)
                .span(5, START_NS + 11_000, START_NS + 12_000)
                .withNumbers(0x7f10_0000_1000L)
                .span(3, START_NS + 10_000, START_NS + 15_000)
                .withNumbers(-100)
                .withReturn(3)
                .span(5, START_NS + 14_000, START_NS + 16_000)
                .withNumbers(-100)
                .openSpan(5, START_NS + 12_500);
    }

    private static void scheduling(TestRecording recording) throws RecordingException {
        recording
                .on(100, 100)
                .onCpu(0)
                .waking(9, START_NS + 8_000, 101, "libuv-worker", 1)
                .onCpu(1)
                .cpuSwitch(8, START_NS + 9_000, 0, 0, "swapper/1", 101, "libuv-worker")
                .cpuSwitch(8, START_NS + 17_000, 101, 1, "libuv-worker", 300, "kworker/1:0")
                .cpuSwitch(8, START_NS + 25_000, 400, 1, "cron", 101, "libuv-worker")
                .cpuSwitch(8, START_NS + 26_000, 101, 2, "libuv-worker", 0, "swapper/1")
                .onCpu(0)
                .cpuSwitch(8, START_NS + 32_000, 100, 0x100, "node", 500, "bash")
                .cpuSwitch(8, START_NS + 33_000, 500, 1, "bash", 100, "node")
                .onCpu(1)
                .waking(9, START_NS + 34_000, 101, "libuv-worker", -1);
        recording.onCpu(0);
        recording.on(100, 100);
        recording.withNumbers(1, 0, 7).withStack(0xBAD).instant(6, START_NS + 45_000);
        recording.on(100, 102).withNumbers(3).span(99, START_NS + 46_000, START_NS + 47_000);
        recording.on(100, 100).instant(6, START_NS + 48_000);
    }
}
