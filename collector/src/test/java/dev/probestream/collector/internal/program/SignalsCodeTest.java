package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.code.SignalProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The function of signals.bpf.c, run by the kernel (BPF_PROG_TEST_RUN) with siginfos of the test. */
@KernelTest(since = "5.10")
class SignalsCodeTest {
    private static final int PROBE = 3;
    private static final int STACKS_BYTES = 16;
    private static final long SENDER = TestSamples.ids(11, 10);
    private static final long RECEIVER = TestSamples.ids(22, 20);
    private static final long BY_A_PROCESS = 0;
    private static final long BY_THE_KERNEL = 1;
    private static final EventLayout LAYOUT = SignalProgram.layout(StackDepths.NONE);

    private static BtfFile types;

    private BpfObjects objects;
    private RingBuffer ring;
    private FakeTasks siginfos;

    @BeforeAll
    static void readTypes() throws Exception {
        types = BtfFile.ofKernel();
    }

    @BeforeEach
    void load() {
        List<MapSpec> maps = new ArrayList<>(FakeTasks.maps());
        maps.add(MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, PROBE + 1));
        maps.add(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)));
        maps.add(MapSpec.ringBuffer(MapNames.EVENTS, 4096));
        objects = FunctionsInC.link(
                        new ObjectsSpec(maps, List.of(TestRun.spec("signal", record()), FakeTasks.program())))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        siginfos = new FakeTasks(objects, types);
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    /** The context is the first two arguments of signal_generate, then the ids of the sender and of the receiver. */
    private static Assembler record() {
        Assembler assembler = new Assembler();
        Label full = assembler.newLabel();
        int threads = assembler.stackSlot(3 * Long.BYTES);
        for (int i = 0; i < 2; i++) {
            assembler.load(Width.DOUBLE_WORD, R2, R1, (2 + i) * Long.BYTES);
            assembler.store(Width.DOUBLE_WORD, R10, threads + i * Long.BYTES, R2);
        }
        assembler.mov(R2, R10).add(R2, threads).mov(R3, PROBE).mov(R4, LAYOUT.sizeBytes() + STACKS_BYTES);
        assembler.callFunction("record_signal", 32).jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.load(Width.DOUBLE_WORD, R1, R10, threads + 2 * Long.BYTES);
        assembler.mov(R2, 0).call(Helper.RINGBUF_SUBMIT).mov(R0, 0);
        return assembler.bind(full).exit();
    }

    private void send(long signal, long info) {
        TestRun.run(objects.program("signal"), signal, info, SENDER, RECEIVER);
    }

    private long codeOf(long info) {
        send(15, info);
        List<ByteBuffer> samples = TestSamples.read(ring);
        assertThat(samples).hasSize(1);
        return number(samples.get(0), 1);
    }

    private static long number(ByteBuffer sample, int argument) {
        return sample.getLong(LAYOUT.arguments().get(argument).offset());
    }

    @Test
    void signalIsAnEventOfTheReceiver() throws Exception {
        // The register of an int may have anything in its upper half.
        send(0xabcd_ef00_0000_000fL, BY_A_PROCESS);

        ByteBuffer sample = TestSamples.read(ring).get(0);
        assertThat(sample.capacity()).isEqualTo(LAYOUT.sizeBytes() + STACKS_BYTES);
        assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(RECEIVER);
        assertThat(sample.getShort(EventLayout.RECORD_TYPE_OFFSET)).isEqualTo((short) RecordType.EVENT.code());
        assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        assertThat(number(sample, 0)).isEqualTo(15);
        assertThat(number(sample, 2)).isEqualTo(10);
        assertThat(number(sample, 3)).isEqualTo(11);
        assertThat(number(sample, 4)).isEqualTo((int) Files.getAttribute(Path.of("/proc/thread-self"), "unix:uid"));
        byte[] sender = new byte[16];
        sample.get(LAYOUT.arguments().get(5).offset(), sender);
        assertThat(new String(sender, StandardCharsets.ISO_8859_1).replaceAll("\0*$", ""))
                .isEqualTo(Files.readString(Path.of("/proc/thread-self/comm")).strip());
        assertThat(objects.map(MapNames.HITS).sumOfLongs(PROBE)).isEqualTo(1);
    }

    @Test
    void codeIsThatOfTheSiginfo() throws Exception {
        assertThat(codeOf(BY_A_PROCESS)).isZero();
        assertThat(codeOf(BY_THE_KERNEL)).isEqualTo(0x80);
        for (int code : new int[] {-6, 1, Integer.MIN_VALUE}) {
            siginfos.put(1, "kernel_siginfo.si_code", code);
            assertThat(codeOf(siginfos.address(1))).isEqualTo(code);
        }
        assertThat(codeOf(2)).as("no address").isZero();
        assertThat(codeOf(-1)).as("no address").isZero();
    }

    @Test
    void signalsBeyondTheRingAreCountedAsLost() {
        for (int i = 0; i < 100; i++) {
            send(9, BY_THE_KERNEL);
        }
        int recorded = TestSamples.read(ring).size();
        assertThat(recorded).isPositive();
        assertThat(objects.map(MapNames.HITS).sumOfLongs(PROBE)).isEqualTo(100);
        assertThat(objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, LossReason.RING_FULL)))
                .isEqualTo(100 - recorded);
    }
}
