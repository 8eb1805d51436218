package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventDecoderTest {
    private static final int ROUNDS = 200_000;

    /** Offset in a larger buffer, as samples lie in the ring. */
    private static final int OFFSET = 64;

    private static final int SYSCALLS_ID = 2;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024).order(ByteOrder.LITTLE_ENDIAN);
    private final EventView view = new EventView();
    private final List<Probe> announced = new ArrayList<>();
    private final EventDecoder decoder = new EventDecoder(
            7,
            plan(),
            SyscallTable.of(RegisterTable.X86_64),
            new EventDecoder.Consumer() {
                @Override
                public void event(EventEncoder event) {
                    try {
                        view.wrap(event.bytes(), event.offset(), event.offset() + event.length());
                    } catch (MalformedEventException e) {
                        throw new AssertionError(e);
                    }
                }

                @Override
                public void probe(Probe probe) {
                    announced.add(probe);
                }

                @Override
                public void announced(String name, long atNs) {}
            },
            (timestampNs, tgid, sample, kernelOffset, kernelBytes, userOffset, userBytes, javaScriptOffset) -> 0,
            new SilentLife(),
            Disclosure.NONE,
            probeId -> false);

    private static ProgramPlan plan() {
        return ProgramPlanner.plan(
                List.of(
                        ResolvedProbe.of(
                                1,
                                SpecParser.parse("span:f(a=arg1:s32, path=arg2:str[16], ret:s64)"),
                                Optional.empty()),
                        ResolvedProbe.of(SYSCALLS_ID, SpecParser.parse("syscalls:all"), Optional.empty())),
                ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(1)));
    }

    /** A span of 250 ns: argument -5, a text of 12 bytes and its NUL, result 99. Its layout is drawn in EventLayout. */
    private void span(String text) {
        header(RecordType.EVENT.code(), 1, 250);
        buffer.putLong(OFFSET + 40, -5);
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        buffer.putInt(OFFSET + 48, utf8.length + 1);
        buffer.put(OFFSET + 52, utf8);
        buffer.put(OFFSET + 52 + utf8.length, (byte) 0);
        buffer.putLong(OFFSET + 72, 99);
    }

    private void header(int recordType, int probeId, long durationNs) {
        buffer.putLong(OFFSET, 1_000_000_007L);
        buffer.putInt(OFFSET + 8, 12);
        buffer.putInt(OFFSET + 12, 11);
        buffer.putShort(OFFSET + 16, (short) 3);
        buffer.putShort(OFFSET + 18, (short) recordType);
        buffer.putInt(OFFSET + 20, probeId);
        buffer.putLong(OFFSET + 24, durationNs);
        buffer.putLong(OFFSET + EventLayout.UNAVAILABLE_OFFSET, 0);
    }

    @Test
    void aSampleIsAnEvent() {
        span("/etc/passwd");
        decoder.sample(buffer, OFFSET, 80);
        decoder.sample(buffer, OFFSET, 80);

        assertThat(List.of(view.captureId(), view.sequence(), view.timestampNs(), view.durationNs()))
                .containsExactly(7L, 1L, 1_000_000_007L, 250L);
        assertThat(List.of(view.pid(), view.tid(), view.cpu(), view.probeId())).containsExactly(11, 12, 3, 1);
        assertThat(view.kind()).isEqualTo(EventKind.SPAN);
        assertThat(view.number(0)).isEqualTo(-5);
        assertThat(view.string(0)).isEqualTo("/etc/passwd");
        assertThat(view.returnValue()).isEqualTo(99);
        assertThat(view.unavailable()).isZero();
        assertThat(decoder.delivered()).isEqualTo(2);
    }

    @Test
    void whatLiesBehindTheEndIsUnavailable() {
        span("/etc/passwd");
        decoder.sample(buffer, OFFSET, 48);

        assertThat(view.number(0)).isEqualTo(-5);
        assertThat(view.string(0)).isEmpty();
        assertThat(view.returnValue()).isZero();
        assertThat(view.unavailable()).isEqualTo(Long.MIN_VALUE + 2);
    }

    @Test
    void aSystemCallBecomesAProbeWhenItIsFirstSeen() {
        header(RecordType.EVENT.code(), SYSCALLS_ID + 39, 100);
        decoder.sample(buffer, OFFSET, 112);
        decoder.sample(buffer, OFFSET, 112);
        decoder.publishProbe(SYSCALLS_ID + 39);
        decoder.publishProbe(SYSCALLS_ID);

        assertThat(announced).extracting(Probe::getName).containsExactly("getpid", "read");
        assertThat(announced).extracting(Probe::getProbeId).containsExactly(SYSCALLS_ID + 39, SYSCALLS_ID);
        assertThat(announced).extracting(Probe::getModule).containsOnly("kernel");
    }

    @Test
    void samplesThatAreNotOursAreRefused() {
        header(200, 1, 0);
        assertThatThrownBy(() -> decoder.sample(buffer, OFFSET, 80))
                .hasMessage("a sample of the unknown record type 200");
        header(RecordType.EVENT.code(), 5000, 0);
        assertThatThrownBy(() -> decoder.sample(buffer, OFFSET, 80)).hasMessage("sample of unknown probe 5000");
    }

    @Test
    void decodingAllocatesNothing() {
        span("/etc/passwd");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < ROUNDS; i++) {
            decoder.sample(buffer, OFFSET, 80);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            decoder.sample(buffer, OFFSET, 80);
        }
        long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocatedBytes).isLessThan(ROUNDS); // the question itself allocates a little
    }

    private static final class SilentLife implements TaskLifecycleListener {
        @Override
        public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {}

        @Override
        public void executed(long timestampNs, int tgid, int userId, String comm) {}

        @Override
        public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {}

        @Override
        public void renamed(long timestampNs, int tgid, int tid, String comm) {}
    }
}
