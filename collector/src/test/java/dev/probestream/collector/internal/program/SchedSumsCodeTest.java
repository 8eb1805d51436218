package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The functions of sched_sums.bpf.c, run by the kernel (BPF_PROG_TEST_RUN). Tasks are any numbers here. */
@KernelTest(since = "5.10")
class SchedSumsCodeTest extends SchedSumFunctions {
    @Test
    void sleepBeginsAnEntryOfItsThread() {
        long beforeNs = ClockReading.monotonicNowNs();
        assertThat(leave(TASK, 0, INTERRUPTIBLE)).isFalse();
        long afterNs = ClockReading.monotonicNowNs();

        assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, afterNs);
        assertThat(field(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
        assertThat(field(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(WAITS);
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isEqualTo(INTERRUPTIBLE);
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isZero();
        ByteBuffer entry = entry(TASK).orElseThrow();
        assertThat(entry.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(entry.getInt(OffCpuLayout.THREAD_TAG_OFFSET))
                .isBetween((int) (beforeNs >> 20), (int) (afterNs >> 20));
        assertThat(hits(PROBE)).isEqualTo(1);
    }

    @Test
    void stateIsWhatTheTracepointReports() {
        long[][] reported = {
            {INTERRUPTIBLE, INTERRUPTIBLE},
            {UNINTERRUPTIBLE, UNINTERRUPTIBLE},
            {0x402, IDLE},
            {0x1000, UNINTERRUPTIBLE}, // TASK_RTLOCK_WAIT
            {0x8001, UNINTERRUPTIBLE}, // TASK_FROZEN
            {4, 4},
            {8, 8},
            {0x10, 0x10},
            {0x20, 0x20},
            {0x40, 0x40},
            {0x102, UNINTERRUPTIBLE}, // TASK_KILLABLE
            {3, UNINTERRUPTIBLE},
            {0x800, INTERRUPTIBLE},
            {0xffff_ff7fL, IDLE},
            {0xffff_ffff_0000_0001L, INTERRUPTIBLE}, // of a register, whose upper half is not the argument's
        };
        for (long[] pair : reported) {
            assertThat(leave(TASK, 0, pair[0])).as("%x", pair[0]).isFalse();
            assertThat(field(OffCpuLayout.STATE_OFFSET)).as("%x", pair[0]).isEqualTo(pair[1]);
        }
    }

    @Test
    void threadThatCouldGoOnBeginsWithTheOneThatTakesItsCpu() throws Exception {
        tasks.name(1, "worker");
        assertThat(leave(TASK, 0, 0)).isTrue();
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isZero();
        // The argument is a bool: the other bytes of the register may be anything.
        assertThat(leave(TASK, 0xabcd_ef00L, INTERRUPTIBLE)).isFalse();
        assertThat(leave(TASK, 0xabcd_ef01L, INTERRUPTIBLE)).isTrue();
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isEqualTo(PREEMPTED);

        run("preempted", TASK, OTHER, tasks.address(1));
        assertThat(field(EventLayout.TIMESTAMP_OFFSET))
                .isPositive()
                .isEqualTo(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET));
        assertThat(field(OffCpuLayout.NEXT_TID_OFFSET)).isEqualTo(22);
        assertThat(field(OffCpuLayout.NEXT_PID_OFFSET)).isEqualTo(20);
        byte[] comm = new byte[16];
        entry(TASK).orElseThrow().get(OffCpuLayout.NEXT_COMM_OFFSET, comm);
        assertThat(new String(comm, StandardCharsets.US_ASCII).strip().replace("\0", ""))
                .isEqualTo("worker");
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET))
                .isEqualTo(OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE);

        run("preempted", TASK, OTHER, 8);
        assertThat(field(OffCpuLayout.NEXT_COMM_OFFSET)).isZero();
    }

    @Test
    void stateIsReadFromTheTaskWhereTheTracepointDoesNotPassIt() throws Exception {
        tasks.put(1, "task_struct.__state", UNINTERRUPTIBLE);
        run("older_leave", 0, tasks.address(1), 0, INTERRUPTIBLE, THREAD);
        assertThat(entry(tasks.address(1)).orElseThrow().getLong(OffCpuLayout.STATE_OFFSET))
                .isEqualTo(UNINTERRUPTIBLE);
        run("older_leave", 0, TASK, 0, INTERRUPTIBLE, THREAD);
        assertThat(field(OffCpuLayout.STATE_OFFSET)).as("of none").isZero();
    }

    @Test
    void threadThatEndsHasNoEntryAnyMore() {
        leave(TASK, 0, INTERRUPTIBLE);
        assertThat(leave(TASK, 0, TASK_DEAD)).isFalse();
        assertThat(entry(TASK)).isEmpty();
        assertThat(leave(TASK, 1, TASK_DEAD)).as("without an entry").isFalse();
        assertThat(entry(TASK)).isEmpty();
        assertThat(hits(PROBE)).isEqualTo(3);
    }

    @Test
    void threadsBeyondTheMapAreCountedAsLost() {
        for (int i = 0; i < MAX_THREADS + 3; i++) {
            assertThat(leave(TASK + i, 1, 0)).isEqualTo(i < MAX_THREADS);
        }
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(leave(TASK, 1, 0)).as("one that has an entry").isTrue();
        assertThat(hits(PROBE)).isEqualTo(MAX_THREADS + 4);
    }

    @Test
    void firstWakerIsKept() {
        leave(TASK, 0, INTERRUPTIBLE);
        run("wake", TASK, OTHER);
        long sinceNs = field(OffCpuLayout.RUNNABLE_SINCE_OFFSET);
        run("wake", TASK, THREAD);

        assertThat(sinceNs).isBetween(field(EventLayout.TIMESTAMP_OFFSET), ClockReading.monotonicNowNs());
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isEqualTo(sinceNs);
        assertThat(field(OffCpuLayout.WAKER_TID_OFFSET)).isEqualTo(22);
        assertThat(field(OffCpuLayout.WAKER_PID_OFFSET)).isEqualTo(20);
        assertThat(field(OffCpuLayout.WAKER_COMM_OFFSET)).isNotZero();
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET))
                .isEqualTo(OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.NEXT_UNAVAILABLE);
        assertThat(hits(RUN_DELAY)).isEqualTo(1);
    }

    @Test
    void wakingOfAThreadThatRunsIsNone() {
        away(TASK, 11, 0, INTERRUPTIBLE, 0);
        run("wake", TASK, OTHER);
        run("take", TASK);
        assertThat(field(OffCpuLayout.WAKER_TID_OFFSET)).isZero();
        assertThat(hits(RUN_DELAY)).isZero();
        assertThat(sum(11, PROBE)).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void timeWhoseBeginningIsSeenTwiceIsThatOfTheSecond() {
        away(TASK, 11, 5, UNINTERRUPTIBLE, 6);
        long beforeNs = ClockReading.monotonicNowNs();
        leave(TASK, 0, INTERRUPTIBLE);
        assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isGreaterThanOrEqualTo(beforeNs);
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isZero();
        assertThat(sum(11, PROBE)).isEmpty();
    }

    /** Times of any length, also such as no clock gives: they begin in the future. */
    @Test
    void sumsAreThoseOfPlainJava() {
        Random random = new Random(18);
        Sum offCpu = Sum.none(10);
        Sum runDelay = Sum.none(10);
        for (int i = 0; i < 500; i++) {
            int interval = 1 + i / 50;
            interval(interval);
            long nowNs = ClockReading.monotonicNowNs();
            long agoNs = random.nextLong() >>> random.nextInt(Long.SIZE);
            long readyAgoNs = random.nextInt(4) == 0 ? nowNs : random.nextLong() >> random.nextInt(Long.SIZE);
            away(TASK, 11, nowNs == agoNs ? 1 : nowNs - agoNs, INTERRUPTIBLE, nowNs - readyAgoNs);
            run("take", TASK);
            assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isZero();
            ByteBuffer event = events().get(0);
            offCpu = offCpu.plus(event.getLong(EventLayout.DURATION_OFFSET), false, interval);
            boolean isUnknown =
                    (event.getLong(EventLayout.UNAVAILABLE_OFFSET) & OffCpuLayout.RUNNABLE_UNAVAILABLE) != 0;
            assertThat(isUnknown).isEqualTo(readyAgoNs == nowNs);
            if (!isUnknown) {
                runDelay = runDelay.plus(event.getLong(OffCpuLayout.RUNNABLE_OFFSET), false, interval);
            }
            assertThat(sum(11, PROBE)).as("time %d", i).contains(offCpu);
            assertThat(sum(11, RUN_DELAY))
                    .as("time %d", i)
                    .isEqualTo(runDelay.equals(Sum.none(10)) ? Optional.empty() : Optional.of(runDelay));
        }
        assertThat(offCpu.durations()).filteredOn(count -> count > 0).hasSizeGreaterThan(15);
    }

    @Test
    void threadsThatFindNoRoomShareTheRest() {
        Sum offCpu = Sum.none(0);
        Sum runDelay = Sum.none(0);
        for (int i = 0; i < 8; i++) {
            long nowNs = ClockReading.monotonicNowNs();
            away(TASK, 100 + i, nowNs - (1L << (4 * i)), INTERRUPTIBLE, nowNs - 300);
            run("take", TASK);
            ByteBuffer event = events().get(0);
            if (i >= MAX_SUMS / 2) {
                offCpu = offCpu.plus(event.getLong(EventLayout.DURATION_OFFSET), false, 1);
                runDelay = runDelay.plus(event.getLong(OffCpuLayout.RUNNABLE_OFFSET), false, 1);
            }
        }
        assertThat(rest(0)).isEqualTo(offCpu);
        assertThat(rest(1)).isEqualTo(runDelay);
        assertThat(sum(100, PROBE)).isPresent();
        assertThat(sum(107, PROBE)).isEmpty();
    }

    @Test
    void timeIsAnEventFromTheLimitOnAndWithoutSleepFromAnEighth() {
        limit(8_000_000_000L);
        long nowNs = ClockReading.monotonicNowNs();
        for (long state : new long[] {INTERRUPTIBLE, UNINTERRUPTIBLE, 0, PREEMPTED}) {
            long limitNs = state == INTERRUPTIBLE ? 8_000_000_000L : 1_000_000_000L;
            away(TASK, 11, nowNs - limitNs + 900_000_000, state, 0);
            run("take", TASK);
            assertThat(events()).as("state %d", state).isEmpty();
            away(TASK, 11, nowNs - limitNs, state, 0);
            run("take", TASK);
            assertThat(events()).as("state %d", state).singleElement().satisfies(event -> {
                assertThat(event.capacity()).isEqualTo(OffCpuLayout.SAMPLE_SIZE_BYTES);
                assertThat(event.getLong(EventLayout.TIMESTAMP_OFFSET)).isEqualTo(nowNs - limitNs);
                assertThat(event.getLong(EventLayout.DURATION_OFFSET)).isGreaterThanOrEqualTo(limitNs);
                assertThat(event.getLong(OffCpuLayout.STATE_OFFSET)).isEqualTo(state);
            });
        }
    }

    @Test
    void eventsThatTheRingRefusesAreCounted() {
        int fit = 4096 / (OffCpuLayout.SAMPLE_SIZE_BYTES + 8) - 1;
        LongStream.range(0, fit + 5).forEach(i -> {
            away(TASK, 11, 1, INTERRUPTIBLE, 0);
            run("take", TASK);
            assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isZero();
        });
        int read = events().size();
        assertThat(read).isBetween(fit, fit + 1);
        assertThat(lost(LossReason.RING_FULL)).isEqualTo(fit + 5 - read);
        assertThat(sum(11, PROBE).orElseThrow().durations().get(SumLayout.DURATION_COUNT - 1))
                .isEqualTo(fit + 5);
    }
}
