package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.Errno;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program so many times a second on every cpu that is online and not idle, by the kernel's own clock: no counter of
 * the hardware is taken, which a virtual machine may not have.
 *
 * <p>One event per cpu, not one per thread: threads and processes that start later need nothing then, and a machine pays
 * for each cpu an interrupt per tick, however many threads it watches. The clock fires in an interrupt, so it also meets
 * code in which interrupts are off, a little late. A tick while another program of a perf event runs on that cpu is no hit
 * (kernel/events/core.c, bpf_prog_active).
 */
public final class CpuClocks implements Link {
    private final List<Link> clocks = new ArrayList<>();

    private CpuClocks() {}

    /**
     * Attaches a program of type {@link ProgramType#PERF_EVENT}. It runs for whatever process is on the cpu.
     *
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, such as EINVAL for a frequency above
     *     kernel.perf_event_max_sample_rate
     */
    public static Link attach(BpfProgram program, int frequencyHz) {
        // Links to perf events came with 5.15 for the sake of cookies, so who has the one has the other.
        boolean byLink = KernelFeature.BPF_COOKIE.probe().isSupported();
        CpuClocks all = new CpuClocks();
        try {
            for (int cpu : PossibleCpus.ofThisMachine().ids()) {
                long result = PerfEvents.openCpuClock(cpu, frequencyHz);
                if (!Errno.ENODEV.is(result)) {
                    all.clocks.add(PerfEvents.attach(program, clock(result, cpu, frequencyHz), 0, byLink));
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
