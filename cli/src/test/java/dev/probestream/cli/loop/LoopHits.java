package dev.probestream.cli.loop;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Hits of the probes of a loop, passed to a book in the order of their ends. */
final class LoopHits {
    static final int LOOP = 0x1000;
    static final int INNER_LOOP = 0x2000;

    final LoopProbe pollEntry = new LoopProbe(withSpec(
            LoopProbes.POLL_ENTRY_SPEC,
            probe(1, "uv__io_poll", EventKind.INSTANT, number("loop"), number("handles"), number("requests"))));
    final LoopProbe poll = new LoopProbe(
            withRole("loop.poll", probe(2, "poll", EventKind.SPAN, number("loop"), number("timeout_ms"))));
    final LoopProbe timers = new LoopProbe(withRole("loop.phase", probe(3, "timers", EventKind.SPAN, number("loop"))));
    final LoopProbe streams = new LoopProbe(probe(4, "stream I/O", EventKind.SPAN, number("events")));
    final LoopProbe jsTimers = new LoopProbe(probe(5, "JS timers", EventKind.SPAN));
    final LoopProbe pauses = new LoopProbe(probe(
            6,
            "GC",
            EventKind.SPAN,
            new Argument("reason", "s32", "", FlowStep.NONE, Map.of("1", "allocation failure"))));
    final LoopProbe opens = new LoopProbe(
            probe(7, "uv_fs_open", EventKind.SPAN, new Argument("path", "str[256]", "", FlowStep.NONE, Map.of())));

    final List<LoopTurn> turns = new ArrayList<>();
    final LoopRegistry book;

    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();

    LoopHits(long minRanNs) {
        book = new LoopRegistry(minRanNs, turns::add);
    }

    void entersPoll(int tid, long loop, long atNs) {
        note(pollEntry, tid, atNs, -1, new long[] {loop, 3, 1});
    }

    void polls(int tid, long loop, long startNs, long durationNs) {
        note(poll, tid, startNs, durationNs, new long[] {loop, -1});
    }

    void runsTimers(int tid, long loop, long startNs, long durationNs) {
        note(timers, tid, startNs, durationNs, new long[] {loop});
    }

    void runs(LoopProbe probe, int tid, long startNs, long durationNs) {
        note(probe, tid, startNs, durationNs, probe == pauses || probe == streams ? new long[] {1} : new long[0]);
    }

    void opens(int tid, String path, long startNs, long durationNs) {
        note(opens, tid, startNs, durationNs, new long[0], path);
    }

    private void note(LoopProbe probe, int tid, long startNs, long durationNs, long[] numbers, String... texts) {
        EventKind kind = durationNs < 0 ? EventKind.INSTANT : EventKind.SPAN;
        encoder.begin(1, 0, startNs, durationNs, 10, tid, 0, probe.id(), kind);
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(texts.length);
        for (String text : texts) {
            encoder.string(text);
        }
        encoder.end(0, 0, 0);
        try {
            view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        } catch (MalformedEventException e) {
            throw new AssertionError(e);
        }
        book.add(probe, view);
    }

    private static Argument number(String name) {
        return new Argument(name, "u64", "", FlowStep.NONE, Map.of());
    }

    private static Probe probe(int id, String name, EventKind kind, Argument... arguments) {
        return new Probe(1L, id, "", name, "node-loop", kind, "", List.of(arguments), "", "", "", false);
    }

    private static Probe withSpec(String spec, Probe probe) {
        probe.setSpec(spec);
        return probe;
    }

    private static Probe withRole(String role, Probe probe) {
        probe.setRole(role);
        return probe;
    }
}
