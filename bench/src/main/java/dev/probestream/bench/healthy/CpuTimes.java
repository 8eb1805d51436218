package dev.probestream.bench.healthy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Times of all CPUs of the machine since it booted, in ticks (proc(5), /proc/stat).
 *
 * @param idle with nothing to do, or only waits for disks
 */
record CpuTimes(long idle, long all) {
    /** user, nice, system, idle, iowait, irq, softirq and steal; what follows is a part of user and nice. */
    private static final int DISJOINT = 8;

    private static final int IDLE = 3;
    private static final int IOWAIT = 4;

    static CpuTimes read() throws IOException {
        return parse(Files.readAllLines(Path.of("/proc/stat")).get(0));
    }

    /** Of the line {@code cpu}. */
    static CpuTimes parse(String line) {
        String[] ticks = line.replaceFirst("cpu +", "").split(" ");
        long all = 0;
        for (int i = 0; i < DISJOINT; i++) {
            all += Long.parseLong(ticks[i]);
        }
        return new CpuTimes(Long.parseLong(ticks[IDLE]) + Long.parseLong(ticks[IOWAIT]), all);
    }

    /** The share of the time since then in which CPUs were idle. */
    double idleShareSince(CpuTimes before) {
        return (double) (idle - before.idle) / (all - before.all);
    }
}
