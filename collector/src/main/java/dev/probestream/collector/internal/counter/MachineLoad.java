package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What all CPUs of the machine did, from the first line of /proc/stat (proc_stat(5)), and the machine's pressure. Read once for all
 * processes of a reading.
 */
final class MachineLoad {
    /** USER_HZ of every architecture that we run on is 100. */
    private static final long TICK_NS = 10_000_000;
    /** {@code cpu user nice system idle iowait irq softirq steal}; time as a guest is a part of user. */
    private static final int IDLE_FIELD = 4;

    private static final int IOWAIT_FIELD = 5;
    private static final int STEAL_FIELD = 8;

    private final Path proc;
    private long[] cpu = {};
    private long[] pressure = {};
    private long atNs;

    MachineLoad(Path proc) {
        this.proc = proc;
    }

    /** Reads once. */
    void read() {
        cpu = cpu();
        pressure = Pressure.read(proc.resolve("pressure"), "");
        atNs = ClockReading.monotonicNowNs();
    }

    /** What was read, as values of a process. */
    void add(int pid, List<CounterValues> values) {
        CounterValues.ofKnown(ProcessCounter.MACHINE_CPU, pid, atNs, cpu).ifPresent(values::add);
        CounterValues.ofKnown(ProcessCounter.MACHINE_PRESSURE, pid, atNs, pressure)
                .ifPresent(values::add);
    }

    private long[] cpu() {
        try {
            List<String> lines = Files.readAllLines(proc.resolve("stat"));
            long[] ticks = Arrays.stream(lines.get(0).split(" +"))
                    .skip(1)
                    .mapToLong(Long::parseLong)
                    .toArray();
            long all = Arrays.stream(ticks).limit(STEAL_FIELD).sum();
            long idle = ticks[IDLE_FIELD - 1] + ticks[IOWAIT_FIELD - 1];
            long steal = ticks[STEAL_FIELD - 1];
            long cpus = lines.stream()
                    .filter(line -> line.startsWith("cpu") && Character.isDigit(line.charAt(3)))
                    .count();
            return new long[] {(all - idle - steal) * TICK_NS, idle * TICK_NS, steal * TICK_NS, cpus};
        } catch (IOException e) {
            return new long[] {}; // procfs may be mounted without it
        }
    }
}
