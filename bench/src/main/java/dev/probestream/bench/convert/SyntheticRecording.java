package dev.probestream.bench.convert;

import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Writes a recording like that of a busy Node server with all presets on: the same requests again and again. */
public final class SyntheticRecording {
    static final long CAPTURE_ID = 0x5eed;
    static final int PID = 4000;
    static final int POOL_THREADS = 4;
    static final long START_NS = 3_600_000_000_000L;
    static final long REQUEST_EVERY_NS = 200_000;

    private final EventPublisher publisher;

    private SyntheticRecording(EventPublisher publisher) {
        this.publisher = publisher;
    }

    /**
     * Writes {@code requests} requests of {@link SyntheticRequest#EVENTS} events each.
     *
     * @return how many events there are
     */
    public static long write(Path file, int requests) {
        try (EventPublisher publisher = FilePublisher.create(file)) {
            return publish(publisher, requests);
        }
    }

    /** Publishes the same, and waits until all of it has arrived. */
    public static long publish(EventPublisher publisher, int requests) {
        SyntheticRecording recording = new SyntheticRecording(publisher);
        recording.metadata();
        SyntheticRequest request = new SyntheticRequest(publisher);
        for (int i = 0; i < requests; i++) {
            request.write(i, START_NS + i * REQUEST_EVERY_NS);
        }
        long events = (long) requests * SyntheticRequest.EVENTS;
        long endNs = START_NS + requests * REQUEST_EVERY_NS;
        publisher.publish(new CaptureEnd(CAPTURE_ID, endNs, "the time was up", events, 0L));
        publisher.complete();
        return events;
    }

    private void metadata() {
        publisher.publish(new Capture(
                CAPTURE_ID,
                "host",
                "boot",
                "Linux",
                "6.18",
                "#1",
                "x86_64",
                2,
                "0",
                List.of("probestream"),
                START_NS,
                // Now: a topic deletes events whose time is long ago.
                TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()),
                START_NS));
        publisher.publish(new Process(
                CAPTURE_ID, PID, 1, 0, "node", "/usr/bin/node", List.of("node", "server.js"), START_NS - 1, -1L, -1));
        for (int i = 0; i <= POOL_THREADS; i++) {
            publisher.publish(
                    new Thread(CAPTURE_ID, PID, PID + i, i == 0 ? "node" : "libuv-worker", START_NS - 1, -1L));
        }
        loopProbes();
        fileProbes();
        systemCalls();
        scheduling();
    }

    private void loopProbes() {
        user(SyntheticRequest.IO_POLL, "uv__io_poll", EventKind.SPAN, "", number("timeout", "s32"));
        user(SyntheticRequest.CHECK, "uv__run_check", EventKind.SPAN, "");
        user(SyntheticRequest.REQUEST, "on_request", EventKind.INSTANT, "", text("url"), number("id", "u64"));
        user(SyntheticRequest.IN_FLIGHT, "in_flight", EventKind.COUNTER, "", number("requests", "s64"));
        user(SyntheticRequest.GC, "v8::Heap::Scavenge", EventKind.SPAN, "", number("type", "s32"));
    }

    private void fileProbes() {
        user(
                SyntheticRequest.FS_OPEN,
                "uv_fs_open",
                EventKind.SPAN,
                "s32",
                flow(FlowStep.START),
                text("path"),
                number("flags", "s32"),
                number("mode", "u32"));
        user(SyntheticRequest.FS_WORK, "uv__fs_work", EventKind.SPAN, "", flow(FlowStep.STEP));
        user(SyntheticRequest.FS_DONE, "uv__fs_done", EventKind.SPAN, "", flow(FlowStep.END), number("result", "s64"));
    }

    private void systemCalls() {
        kernel(
                SyntheticRequest.EPOLL_WAIT,
                "epoll_wait",
                number("epfd", "s32"),
                number("events", "ptr"),
                number("maxevents", "s32"),
                number("timeout", "s32"));
        kernel(SyntheticRequest.FUTEX, "futex", number("uaddr", "ptr"), number("op", "s32"), number("val", "u32"));
        kernel(
                SyntheticRequest.OPENAT,
                "openat",
                number("dfd", "s32"),
                text("filename"),
                number("flags", "s32"),
                number("mode", "u32"));
        kernel(SyntheticRequest.READ, "read", number("fd", "u32"), number("buf", "ptr"), number("count", "u64"));
        kernel(SyntheticRequest.WRITE, "write", number("fd", "u32"), number("buf", "ptr"), number("count", "u64"));
    }

    private void scheduling() {
        probe(
                SyntheticRequest.SWITCH,
                "sched_switch",
                "sched",
                EventKind.SWITCH,
                "",
                number("prev_tid", "s32"),
                number("prev_pid", "s32"),
                number("prev_prio", "s32"),
                number("prev_state", "s64"),
                number("next_tid", "s32"),
                number("next_pid", "s32"),
                number("next_prio", "s32"),
                text("prev_comm"),
                text("next_comm"));
        probe(
                SyntheticRequest.WAKING,
                "sched_waking",
                "sched",
                EventKind.WAKING,
                "",
                number("tid", "s32"),
                number("pid", "s32"),
                number("prio", "s32"),
                number("target_cpu", "s32"),
                text("comm"));
    }

    private void user(int id, String name, EventKind kind, String returnType, Argument... arguments) {
        probe(id, name, "node", kind, returnType, arguments);
    }

    private void kernel(int id, String name, Argument... arguments) {
        probe(id, name, "syscalls", EventKind.SPAN, "s64", arguments);
    }

    private void probe(int id, String name, String category, EventKind kind, String returnType, Argument... arguments) {
        String returnUnit = returnType.isEmpty() ? "" : "errno";
        publisher.publish(new Probe(
                CAPTURE_ID,
                id,
                name,
                name,
                category,
                kind,
                "kernel",
                List.of(arguments),
                returnType,
                returnUnit,
                "",
                false));
    }

    private static Argument number(String name, String type) {
        return new Argument(name, type, "", FlowStep.NONE, Map.of());
    }

    private static Argument text(String name) {
        return new Argument(name, "str", "", FlowStep.NONE, Map.of());
    }

    private static Argument flow(FlowStep step) {
        return new Argument("request", "ptr", "", step, Map.of());
    }
}
