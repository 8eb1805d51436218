package dev.probestream.bpf.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The types of the kernel of this machine, of which some things are known. */
class KernelBtfTest {
    @BeforeEach
    void needsBtf() {
        assumeTrue(
                Files.isReadable(Path.of("/sys/kernel/btf/vmlinux")) || "true".equals(System.getenv("CI")),
                "needs a kernel with CONFIG_DEBUG_INFO_BTF");
    }

    @Test
    void fieldsOfATaskHaveTheSizesTheKernelGivesThem() throws Exception {
        BtfFile btf = BtfFile.ofKernel();

        assertThat(FieldPath.resolve(btf, "task_struct.comm").sizeBytes()).isEqualTo(16);
        assertThat(FieldPath.resolve(btf, "task_struct.start_time").sizeBytes()).isEqualTo(8);
        for (String field : new String[] {"pid", "tgid", "prio"}) {
            FieldPath path = FieldPath.resolve(btf, "task_struct." + field);
            assertThat(path.sizeBytes()).as(field).isEqualTo(4);
            assertThat(path.isSigned()).as(field).isTrue();
        }
        assertThat(FieldPath.resolve(btf, "task_struct.tgid").offsetBytes())
                .isEqualTo(FieldPath.resolve(btf, "task_struct.pid").offsetBytes() + 4);
    }

    @Test
    void structuresOfTheUserInterfaceAreLaidOutAsItsHeadersSay() throws Exception {
        BtfFile btf = BtfFile.ofKernel();

        // include/uapi/linux/bpf.h, asm/ptrace.h, time_types.h: these may not change
        assertThat(FieldPath.resolve(btf, "bpf_insn.off").offsetBytes()).isEqualTo(2);
        assertThat(FieldPath.resolve(btf, "bpf_insn.src_reg").bitSize()).isEqualTo(4);
        assertThat(FieldPath.resolve(btf, "__kernel_timespec.tv_nsec").offsetBytes())
                .isEqualTo(8);
        assertThat(FieldPath.resolve(btf, "bpf_attr.prog_flags").offsetBytes()).isEqualTo(44);
        assertThat(FieldPath.resolve(btf, "bpf_attr.insn_cnt").offsetBytes()).isEqualTo(4);
    }

    @Test
    void functionsAndTracepointsHaveTypes() throws Exception {
        BtfFile btf = BtfFile.ofKernel();

        assertThat(btf.typeCount()).isGreaterThan(10_000);
        assertThat(btf.typeId("vfs_read", BtfKind.FUNCTION)).isPresent();
        assertThat(btf.typeId("btf_trace_sched_switch", BtfKind.TYPEDEF)).isPresent();
    }

    @Test
    void parsingTakesMilliseconds() throws Exception {
        long startCpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long start = System.nanoTime();
        BtfFile btf = BtfFile.ofKernel();
        long parsed = System.nanoTime();
        FieldPath.resolve(btf, "task_struct.tgid");
        System.out.printf(
                "kernel BTF: %d types read in %d ms, task_struct.tgid found in %d ms%n",
                btf.typeCount(), (parsed - start) / 1_000_000, (System.nanoTime() - parsed) / 1_000_000);
        // CPU time, because other programs may keep the machine busy.
        assertThat(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startCpuNs)
                .isLessThan(2_000_000_000L);
    }
}
