package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.internal.syscall.PerfEvents;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.Errno;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program so many times a second on every cpu that is online and not idle, by the kernel's clock event. Hardware
 * counters are not used, because virtual machines may lack them.
 *
 * <p>One event per cpu, not one per thread: so threads and processes that start later are included, and the cost is one
 * interrupt per tick and cpu, for any number of threads. The clock fires in an interrupt, so code that runs with
 * interrupts disabled is sampled when it enables them. A tick is lost while another program of a perf event runs on
 * that cpu (kernel/events/core.c, bpf_prog_active).
 */
public final class CpuClocks implements Link {
    private final List<Link> clocks = new ArrayList<>();

    private CpuClocks() {}

    /**
     * Attaches a program of type {@link ProgramType#PERF_EVENT}. It runs for any process on the cpu.
     *
     * @param program a loaded program; it stays the caller's
     * @param frequencyHz samples per second and CPU
     * @return the attachment; closing it detaches the program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, such as EINVAL for a frequency above
     *     kernel.perf_event_max_sample_rate
     */
    public static Link attach(BpfProgram program, int frequencyHz) {
        // Links to perf events and cookies came with the same release, 5.15.
        boolean byLink = KernelFeature.BPF_COOKIE.probe().isSupported();
        CpuClocks all = new CpuClocks();
        try {
            for (int cpu : PossibleCpus.ofThisMachine().ids()) {
                long result = PerfEvents.openCpuClock(cpu, frequencyHz);
                if (!Errno.ENODEV.is(result)) {
                    all.clocks.add(program.attachTo(clock(result, cpu, frequencyHz), 0, byLink));
                }
            }
            return all;
        } catch (RuntimeException e) {
            all.close();
            throw e;
        }
    }

    private static FileDescriptor clock(long result, int cpu, int frequencyHz) {
        String advice = Errno.EINVAL.is(result)
                ? "kernel.perf_event_max_sample_rate may be lower: see /proc/sys/kernel/perf_event_max_sample_rate"
                : BpfSyscall.advice(result);
        return FileDescriptor.of(result, "sample cpu " + cpu + " " + frequencyHz + " times a second", advice);
    }

    @Override
    public void close() {
        clocks.forEach(Link::close);
        clocks.clear();
    }
}
