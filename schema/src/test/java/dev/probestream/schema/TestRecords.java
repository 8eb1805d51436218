package dev.probestream.schema;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.apache.avro.specific.SpecificRecord;

/** Records for tests: one of each kind, and events of every size from a seed. */
public final class TestRecords {
    private static final String[] WORDS = {"", "read", "/srv/app/server.js", "grüße", "日本語のファイル", "😀 emoji", "a\0b"};

    private TestRecords() {}

    /** One record of each kind but Event, in the order in which a capture has them. */
    public static List<SpecificRecord> metadata() {
        Argument path = new Argument("path", "str", "", FlowStep.NONE, Map.of());
        Argument type = new Argument("type", "u32", "", FlowStep.START, Map.of("1", "scavenge"));
        return List.of(
                new Capture(
                        7L,
                        "host",
                        "b007-1d",
                        "Linux",
                        "6.18.5",
                        "#1 SMP",
                        "x86_64",
                        2,
                        "0.1.0",
                        List.of("record", "-p", "42"),
                        1_000L,
                        1_700_000_000_000_000_000L,
                        1_500L),
                new Probe(
                        7L,
                        1,
                        "span:/usr/bin/node:uv_fs_open",
                        "uv_fs_open",
                        "node-fs",
                        EventKind.SPAN,
                        "/usr/bin/node",
                        List.of(path, type),
                        "s32",
                        "errno",
                        "pool.submit",
                        true),
                new Process(7L, 42, 1, 1000, "node", "/usr/bin/node", List.of("node", "server.js"), 500L, 900L, 3 << 8),
                new Thread(7L, 42, 43, "libuv-worker", 600L, -1L),
                new Stack(
                        7L,
                        99L,
                        new ArrayList<>(List.of(
                                Frames.of("uv_fs_open", "/usr/bin/node", 0x1234L, FrameKind.NATIVE),
                                inlinedFrame(),
                                asyncFrame()))),
                new Clock(7L, 2_000L, 1_700_000_000_000_001_000L, 2_500L),
                new Loss(7L, 1, 0, 1_000L, 2_000L, 17L, LossReason.RING_FULL),
                new HitSummary(7L, 1, 42, 43, 1_000L, 2_000L, 5L, 1L, 9_000L, 8_000L, List.of(4L, 0L, 0L, 0L, 1L)),
                new Gap(7L, "node-fs", 0, 2_000L, 2_400L, GapReason.BUDGET),
                new Cost(7L, 1_000L, 3_000L, 1_900L, List.of(new ProbeCost(1, 22L, 300L, 440L))),
                new CaptureEnd(7L, 3_000L, "the traced process has exited", 5L, 17L));
    }

    /** Of the capture of {@link #metadata}. */
    public static Keyframe keyframe(long sequence, long monotonicNs) {
        List<SpecificRecord> records = metadata();
        return new Keyframe(
                7L,
                sequence,
                17L,
                new Clock(7L, monotonicNs, 1_700_000_000_000_000_000L + monotonicNs, monotonicNs + 500),
                (Capture) records.get(0),
                List.of((Probe) records.get(1)),
                List.of((Process) records.get(2)),
                List.of((Thread) records.get(3)));
    }

    /** A frame with a value in each field. */
    public static Frame inlinedFrame() {
        return new Frame(
                "load",
                "",
                0x7f00_1234L,
                FrameKind.JS,
                "/srv/app.js",
                12,
                9,
                14,
                22,
                true,
                false,
                "/srv/src/app.ts",
                33);
    }

    private static Frame asyncFrame() {
        return new Frame("", "", 0L, FrameKind.JS, "/srv/app.js", 40, 5, 41, 11, false, true, "", 0);
    }

    public static Event event(RandomGenerator random) {
        List<Long> numbers = new ArrayList<>();
        for (int count = random.nextInt(random.nextInt(20) == 0 ? 200 : 5); count > 0; count--) {
            numbers.add(number(random));
        }
        List<String> strings = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            strings.add(WORDS[random.nextInt(WORDS.length)].repeat(random.nextInt(random.nextInt(10) == 0 ? 40 : 3)));
        }
        EventKind[] kinds = EventKind.values();
        return new Event(
                number(random),
                number(random),
                number(random),
                number(random),
                (int) number(random),
                (int) number(random),
                (int) number(random),
                (int) number(random),
                kinds[random.nextInt(kinds.length)],
                numbers,
                strings,
                number(random),
                number(random),
                number(random));
    }

    public static Event eventWithText(String text) {
        return new Event(7L, 0L, 1_000L, -1L, 42, 43, 0, 1, EventKind.INSTANT, List.of(), List.of(text), 0L, 0L, 0L);
    }

    /** Numbers of all encoded lengths, the edges among them. */
    private static long number(RandomGenerator random) {
        long value = random.nextLong() >>> random.nextInt(64);
        return switch (random.nextInt(8)) {
            case 0 -> ~value;
            case 1 -> 1L << random.nextInt(64);
            case 2 -> (1L << random.nextInt(64)) - 1;
            case 3 -> 0;
            default -> value;
        };
    }
}
