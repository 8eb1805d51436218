package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions of syscalls.bpf.c, run by the kernel (BPF_PROG_TEST_RUN): system calls that nothing has made. */
@KernelTest(since = "5.10")
class SyscallsCodeTest extends SyscallFunctions {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callIsInTheEntryOfItsThread(boolean isSummed) {
        load(isSummed);
        ByteBuffer registers = buffer(256);
        for (int i = 0; i < SyscallLayout.REGISTERS_SIZE_BYTES; i++) {
            registers.put(LAYOUT.firstRegisterOffset() + i, (byte) (i + 1));
        }
        put(REGISTERS, BpfMap.key(0), registers);
        long beforeNs = ClockReading.monotonicNowNs();
        run("begin", NUMBER, THREAD);
        long afterNs = ClockReading.monotonicNowNs();

        ByteBuffer entry = entry(TID).orElseThrow();
        assertThat(entry.getLong(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, afterNs);
        assertThat(entry.getLong(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
        assertThat(entry.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(entry.getShort(EventLayout.RECORD_TYPE_OFFSET)).isZero();
        assertThat(entry.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(entry.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        for (int i = 0; i < SyscallLayout.REGISTERS_SIZE_BYTES; i++) {
            assertThat(entry.get(EventLayout.HEADER_SIZE_BYTES + i)).isEqualTo((byte) (i + 1));
        }
        if (isSummed) {
            assertThat(entry.getInt(SyscallLayout.THREAD_TAG_OFFSET))
                    .isBetween((int) (beforeNs >> 20), (int) (afterNs >> 20));
        }
        run("begin_blind", NUMBER, ids(12));
        assertThat(entry(12).orElseThrow().getLong(EventLayout.HEADER_SIZE_BYTES))
                .as("not to be read")
                .isZero();
        assertThat(hits(PROBE)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void numbersBeyondTheTableShareTheLastProbe(boolean isSummed) {
        load(isSummed);
        run("begin", NUMBER, THREAD);
        for (long number :
                new long[] {SyscallProbes.COUNT - 1, SyscallProbes.COUNT, 0x4000_0000L, -1, Long.MIN_VALUE}) {
            run("begin", number, THREAD);
            assertThat(entry(TID).orElseThrow().getInt(EventLayout.PROBE_ID_OFFSET))
                    .as("%x", number)
                    .isEqualTo(LAST);
        }
        run("begin", SyscallProbes.COUNT - 2, THREAD);
        assertThat(entry(TID).orElseThrow().getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(LAST - 1);
        assertThat(hits(LAST)).isEqualTo(5);
        assertThat(lost(LAST, LossReason.RETURN_NOT_SEEN)).isEqualTo(5);
        assertThat(lost(LAST - 1, LossReason.RETURN_NOT_SEEN)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnFromAProbeIsNoCall(boolean isSummed) {
        load(isSummed);
        run("begin", 335, THREAD);
        run("begin", 336, THREAD);
        assertThat(entry(TID)).isEmpty();
        run("begin", 334, THREAD);
        run("begin", 337, ids(12));
        assertThat(entry(TID)).isPresent();
        assertThat(entry(12)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threadsBeyondTheMapAreCountedAsLost(boolean isSummed) {
        load(isSummed);
        for (int i = 0; i < MAX_THREADS + 3; i++) {
            run("begin", NUMBER, ids(100 + i));
        }
        assertThat(entry(100)).isPresent();
        assertThat(entry(100 + MAX_THREADS)).isEmpty();
        assertThat(lost(PROBE, LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(hits(PROBE)).isEqualTo(MAX_THREADS + 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnWithoutAnEntryIsIgnored(boolean isSummed) {
        load(isSummed);
        assertThat(isEvent(-ENOENT)).isFalse();
        assertThat(run("end_thread", THREAD)).isZero();
        assertThat(entry(TID)).isEmpty();
    }

    @Test
    void everyEndOfACallIsAnEvent() {
        load(false);
        texts(0x0005_0006);
        long nowNs = ClockReading.monotonicNowNs();
        open(nowNs - 1_000_000);
        assertThat(isEvent(17)).isTrue();
        assertThat(durationNs()).isBetween(1_000_000L, 100_000_000_000L);
        assertThat(value(END).getLong(8)).isEqualTo(17);
        assertThat(value(END).getLong(16)).isZero();
        assertThat(value(END).getInt(SyscallLayout.END_TEXTS_OFFSET)).isEqualTo(0x0005_0006);
        assertThat(value(END).getInt(SyscallLayout.END_PROBE_ID_OFFSET)).isEqualTo(PROBE);

        assertThat(run("end_thread", THREAD)).isEqualTo(PROBE);
        assertThat(value(END).getLong(8)).isZero();
        assertThat(value(END).getLong(16)).isEqualTo(EventLayout.RETURN_UNAVAILABLE);
        assertThat(value(END).getInt(SyscallLayout.END_TEXTS_OFFSET)).isZero();
    }

    @Test
    void summedCallIsAnEventIfItLastsFailsOrIsRare() {
        limit(8_000_000_000L);
        long nowNs = ClockReading.monotonicNowNs();
        open(nowNs);
        assertThat(isEvent(0)).isFalse();
        assertThat(startNs()).as("its thread is in none any more").isZero();
        assertThat(isEvent(-ENOENT)).as("a second end").isFalse();

        open(nowNs - 8_000_000_000L);
        assertThat(isEvent(0)).as("long").isTrue();
        assertThat(startNs()).as("the program clears it behind the sample").isNotZero();
        open(nowNs + 1_000_000_000_000L);
        assertThat(isEvent(0)).as("longer than there is time").isTrue();

        texts(SyscallTexts.RARE);
        open(nowNs);
        assertThat(isEvent(0)).as("rare").isTrue();
        texts(0);

        for (long error : new long[] {1, ENOENT, 511, 517, MAX_ERRNO}) {
            open(nowNs);
            assertThat(isEvent(-error)).as("error %d", error).isTrue();
        }
        for (long result : new long[] {
            1,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            -MAX_ERRNO - 1,
            -EINTR,
            -EAGAIN,
            -ERESTARTSYS,
            -514,
            -ERESTART_RESTARTBLOCK
        }) {
            open(nowNs);
            assertThat(isEvent(result)).as("result %d", result).isFalse();
        }
        assertThat(sum(TID).orElseThrow().failed()).as("all errors").isEqualTo(5 + 5);
    }

    @Test
    void sumsAreThoseOfPlainJava() {
        Random random = new Random(19);
        texts(SyscallTexts.RARE);
        Sum expected = Sum.none(TGID);
        for (int i = 0; i < 500; i++) {
            int interval = 1 + i / 50;
            put(MapNames.SUM_INTERVAL, BpfMap.key(0), BpfMap.key(interval));
            long agoNs = random.nextLong() >>> random.nextInt(Long.SIZE);
            long result = random.nextInt(3) == 0 ? -1 - random.nextInt(5000) : random.nextLong();
            boolean isEndOfThread = random.nextInt(8) == 0;
            long nowNs = ClockReading.monotonicNowNs();
            open(nowNs == agoNs ? 1 : nowNs - agoNs);
            assertThat(isEndOfThread ? run("end_thread", THREAD) : run("end", 0, result, THREAD))
                    .isEqualTo(PROBE);
            boolean hasFailed = !isEndOfThread && result < 0 && result >= -MAX_ERRNO;
            expected = expected.plus(durationNs(), hasFailed, interval);
            assertThat(sum(TID)).as("call %d", i).contains(expected);
        }
        assertThat(expected.durations()).filteredOn(count -> count > 0).hasSizeGreaterThan(15);
        assertThat(expected.failed()).isGreaterThan(50);
    }

    @Test
    void threadsThatFindNoRoomShareTheRestOfTheirCall() {
        texts(SyscallTexts.RARE);
        Sum expected = Sum.none(0);
        for (int i = 0; i < MAX_SUMS + 5; i++) {
            openOf(100 + i % MAX_THREADS, PROBE, ClockReading.monotonicNowNs() - (1L << (3 * i)));
            ByteBuffer entry = entry(100 + i % MAX_THREADS).orElseThrow();
            put(
                    MapNames.OPEN_SYSCALLS,
                    BpfMap.key(100 + i % MAX_THREADS),
                    entry.putInt(SyscallLayout.THREAD_TAG_OFFSET, i));
            long result = i % 2 == 0 ? 0 : -ENOENT;
            assertThat(run("end", 0, result, ids(100 + i % MAX_THREADS))).isEqualTo(PROBE);
            if (i >= MAX_SUMS) {
                expected = expected.plus(durationNs(), result != 0, 1);
            }
        }
        assertThat(rest(NUMBER)).isEqualTo(expected);
        assertThat(rest(NUMBER + 1)).isEqualTo(Sum.none(0));
    }

    @Test
    void callsBeyondTheTableHaveTheLastRest() {
        for (int i = 0; i <= MAX_SUMS; i++) {
            openOf(TID, FIRST + i, 1);
            run("end", 0, 0, THREAD);
        }
        openOf(TID, LAST, 1);
        run("end", 0, 0, THREAD);
        assertThat(rest(SyscallProbes.COUNT - 1).durations().get(SumLayout.DURATION_COUNT - 1))
                .isEqualTo(1);
    }

    @Test
    void threadThatIsInNoCallLosesItsEntryAtItsEnd() {
        open(0);
        assertThat(run("end_thread", THREAD)).isZero();
        assertThat(entry(TID)).isEmpty();
        assertThat(sum(TID)).isEmpty();
    }
}
