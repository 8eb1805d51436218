package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.PidNamespace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The functions of thread_ids.bpf.c, run by the kernel for this thread (BPF_PROG_TEST_RUN). ContainerTest has namespaces inside
 * one another.
 */
@KernelTest(since = "5.10")
class ThreadIdsCodeTest {
    private static final String IDS = "ids";
    private static final long OUTSIDE = PidNamespace.OUTSIDE * (1L + (1L << Integer.SIZE));

    private static BpfObjects objects;

    @BeforeAll
    static void load() {
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.array(IDS, Long.BYTES, 1),
                                new MapSpec(
                                        MapNames.ENDED_THREADS, MapType.LRU_HASH, Integer.BYTES, Long.BYTES, 16, 0)),
                        List.of(
                                program("read_own_ids", false),
                                program("read_ids", false),
                                program("translate_ids", true),
                                program("mark_ids", false),
                                program("keep_ended_ids", false),
                                program("find_ended_ids", false),
                                kernelIds())))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void isNew() {
        setIds(0);
    }

    /** The context has the device, or nothing where the task is handed over, and the inode. */
    private static ProgramSpec program(String function, boolean isOfTask) {
        Assembler assembler = new Assembler().mov(R6, R1);
        if (isOfTask) {
            assembler.call(Helper.GET_CURRENT_TASK).mov(R2, R0);
        } else {
            assembler.load(Width.DOUBLE_WORD, R2, R6, 0);
        }
        assembler.load(Width.DOUBLE_WORD, R3, R6, Long.BYTES).loadMapValue(R1, IDS);
        return spec(function, assembler.callFunction(function, 64));
    }

    private static ProgramSpec kernelIds() {
        Assembler assembler = new Assembler().call(Helper.GET_CURRENT_PID_TGID).loadMapValue(R1, IDS);
        return spec("kernel_ids", assembler.store(Width.DOUBLE_WORD, R1, 0, R0).mov(R0, 0));
    }

    private static ProgramSpec spec(String name, Assembler assembler) {
        return TestRun.spec(name, assembler.exit());
    }

    private long run(String program, long device, long inode) {
        TestRun.run(objects.program(program), device, inode);
        return objects.map(IDS)
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    private static void setIds(long ids) {
        objects.map(IDS)
                .update(
                        BpfMap.key(0),
                        ByteBuffer.allocate(Long.BYTES)
                                .order(ByteOrder.nativeOrder())
                                .putLong(0, ids));
    }

    private long kernels() {
        return run("kernel_ids", 0, 0);
    }

    private static FileId ownNamespace() throws Exception {
        return FileId.of(Path.of("/proc/self/ns/pid"));
    }

    @Test
    void threadOfAnotherNamespaceIsOutside() {
        long kernels = kernels();

        for (String function : List.of("read_own_ids", "read_ids")) {
            setIds(0);
            assertThat(run(function, 1, 1)).as(function).isEqualTo(kernels | OUTSIDE);
        }
        setIds(kernels);
        assertThat(run("translate_ids", 0, 1)).isEqualTo(kernels | OUTSIDE);
        setIds(kernels);
        assertThat(run("mark_ids", 0, 0)).isEqualTo(kernels | OUTSIDE);
    }

    @Test
    void idleThreadStaysZero() {
        assertThat(run("mark_ids", 0, 0)).isZero();
    }

    @Test
    void threadHasItsIdsInItsOwnNamespace() throws Exception {
        long inode = ownNamespace().inode();
        long pid = ProcessHandle.current().pid();

        assertThat(run("translate_ids", 0, inode) >>> Integer.SIZE)
                .as("the initial namespace is at level 0, which is not looked at")
                .isIn(0L, pid);
    }

    @Test
    void idsOfAThreadThatEndedAreThoseThatWereKept() {
        long kept = 42L << Integer.SIZE | 43;
        setIds(kept);
        run("keep_ended_ids", 0, 0);

        setIds(1L << Integer.SIZE | 2);
        assertThat(run("find_ended_ids", 0, 0)).as("one that has ids").isEqualTo(1L << Integer.SIZE | 2);
        setIds(kernels() | OUTSIDE);
        assertThat(run("find_ended_ids", 0, 0)).isEqualTo(kept);
    }
}
