package dev.probestream.bench.convert;

import static dev.probestream.bench.convert.SyntheticRecording.CAPTURE_ID;
import static dev.probestream.bench.convert.SyntheticRecording.PID;

import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The events of one request to a Node server that opens a file for it, in the order in which the probes would give them:
 * spans when they end.
 */
final class SyntheticRequest {
    static final int IO_POLL = 1;
    static final int FS_OPEN = 2;
    static final int FS_WORK = 3;
    static final int FS_DONE = 4;
    static final int CHECK = 5;
    static final int REQUEST = 6;
    static final int IN_FLIGHT = 7;
    static final int GC = 8;
    static final int EPOLL_WAIT = 20;
    static final int FUTEX = 21;
    static final int OPENAT = 22;
    static final int READ = 23;
    static final int WRITE = 24;
    static final int SWITCH = 30;
    static final int WAKING = 31;

    /** How many events a request has. */
    static final int EVENTS = 20;

    private static final int FILES = 64;
    private static final long HEAP_ADDRESS = 0x7f10_0000_0000L;
    private static final int PRIORITY = 120;
    /** TASK_INTERRUPTIBLE of linux/sched.h. */
    private static final int SLEEPING = 1;

    private final EventPublisher publisher;
    private final EventEncoder encoder = new EventEncoder();
    private final SplittableRandom random = new SplittableRandom(42);
    private long sequence;

    SyntheticRequest(EventPublisher publisher) {
        this.publisher = publisher;
    }

    /** Writes the request with this number, whose loop iteration starts at {@code t}. */
    void write(int number, long t) {
        int worker = PID + 1 + number % SyntheticRecording.POOL_THREADS;
        String path = "/srv/app/public/file-" + random.nextInt(FILES) + ".html";
        long request = HEAP_ADDRESS + 512L * random.nextInt(1000);

        change(t + 3_000, 0, PID, "node", SLEEPING, 0, "swapper/0");
        waking(t + 17_000);
        change(t + 18_000, 0, 0, "swapper/0", 0, PID, "node");
        span(EPOLL_WAIT, t + 1_000, 25_000, PID, 0, 1, List.of(7L, HEAP_ADDRESS, 1024L, -1L), List.of());
        instant(REQUEST, EventKind.INSTANT, t + 28_000, List.of((long) number), List.of("/file-" + number % FILES));
        span(FUTEX, t + 32_000, 3_000, PID, 0, 1, List.of(HEAP_ADDRESS, 129L, 1L), List.of());
        span(FS_OPEN, t + 30_000, 8_000, PID, 0, 0, List.of(request, 524_288L, 438L), List.of(path));
        change(t + 38_000, 1, 0, "swapper/1", 0, worker, "libuv-worker");
        span(OPENAT, t + 42_000, 13_000, worker, 1, 21, List.of(-100L, 524_288L, 438L), List.of(path));
        span(FS_WORK, t + 40_000, 20_000, worker, 1, 0, List.of(request), List.of());
        span(WRITE, t + 61_000, 2_000, worker, 1, 8, List.of(9L, HEAP_ADDRESS, 8L), List.of());
        change(t + 66_000, 1, worker, "libuv-worker", SLEEPING, 0, "swapper/1");
        span(READ, t + 70_000, 2_000, PID, 0, 8, List.of(9L, HEAP_ADDRESS, 1024L), List.of());
        span(WRITE, t + 80_000, 6_000, PID, 0, 5120, List.of(30L, HEAP_ADDRESS, 5120L), List.of());
        span(GC, t + 88_000, 3_000, PID, 0, 0, List.of(1L), List.of());
        instant(IN_FLIGHT, EventKind.COUNTER, t + 92_000, List.of((long) number % 17), List.of());
        span(FS_DONE, t + 75_000, 20_000, PID, 0, 0, List.of(request, 21L), List.of());
        span(READ, t + 100_000, 4_000, PID, 0, -11, List.of(30L, HEAP_ADDRESS, 65_536L), List.of());
        span(IO_POLL, t, 150_000, PID, 0, 0, List.of(-1L), List.of());
        span(CHECK, t + 152_000, 2_000, PID, 0, 0, List.of(), List.of());
    }

    private void span(
            int probe,
            long startNs,
            long durationNs,
            int tid,
            int cpu,
            long result,
            List<Long> numbers,
            List<String> strings) {
        long jitteredNs = durationNs - random.nextLong(durationNs / 8);
        encoder.begin(CAPTURE_ID, sequence++, jittered(startNs), jitteredNs, PID, tid, cpu, probe, EventKind.SPAN);
        append(numbers, strings, result);
    }

    private void instant(int probe, EventKind kind, long timeNs, List<Long> numbers, List<String> strings) {
        encoder.begin(CAPTURE_ID, sequence++, jittered(timeNs), -1, PID, PID, 0, probe, kind);
        append(numbers, strings, 0);
    }

    private void change(long timeNs, int cpu, int from, String fromName, int fromState, int to, String toName) {
        int fromPid = from == 0 ? 0 : PID;
        int toPid = to == 0 ? 0 : PID;
        encoder.begin(CAPTURE_ID, sequence++, jittered(timeNs), -1, fromPid, from, cpu, SWITCH, EventKind.SWITCH);
        append(
                List.of((long) from, (long) fromPid, (long) PRIORITY, (long) fromState, (long) to, (long) toPid, (long)
                        PRIORITY),
                List.of(fromName, toName),
                0);
    }

    private void waking(long timeNs) {
        encoder.begin(CAPTURE_ID, sequence++, jittered(timeNs), -1, 0, 0, 0, WAKING, EventKind.WAKING);
        append(List.of((long) PID, (long) PID, (long) PRIORITY, 0L), List.of("node"), 0);
    }

    /** Moved by less than any two times of one thread are apart. */
    private long jittered(long timeNs) {
        return timeNs + random.nextInt(900);
    }

    private void append(List<Long> numbers, List<String> strings, long result) {
        encoder.beginNumbers(numbers.size());
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(strings.size());
        for (String string : strings) {
            encoder.string(string);
        }
        encoder.end(result, 0, 0);
        publisher.publish(encoder);
    }
}
