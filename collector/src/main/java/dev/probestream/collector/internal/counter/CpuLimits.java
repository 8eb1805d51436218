package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How much of a CPU the control groups of one process may use, and how often they had used it up: cpu.max and cpu.stat of
 * version 2 (Documentation/admin-guide/cgroup-v2.rst), cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat of version 1
 * (Documentation/scheduler/sched-bwc.rst). Of several limits the one counts that held the process back longest since the first
 * reading; if none did, the lowest.
 */
final class CpuLimits {
    private static final long US = 1000;

    private final int pid;
    private final Map<Path, Throttled> first = new HashMap<>();
    private String lastFile = "";

    /** The counters of cpu.stat. */
    private record Throttled(long periods, long throttledPeriods, long throttledNs) {}

    /** A limit, and what it did since the first reading. */
    private record Limit(Path file, long quotaNs, long periodNs, Throttled since) {
        double cpus() {
            return (double) quotaNs / periodNs;
        }
    }

    CpuLimits(int pid) {
        this.pid = pid;
    }

    /** Reads once; nothing is added if no group of the process has a limit. */
    void read(List<ControlGroups.Group> groups, List<CounterValues> values) {
        Optional<Limit> tightest = Optional.empty();
        for (ControlGroups.Group group : groups) {
            Optional<Limit> limit = limit(group);
            if (limit.isPresent()
                    && tightest.filter(known -> !isTighter(limit.get(), known)).isEmpty()) {
                tightest = limit;
            }
        }
        tightest.ifPresent(limit -> {
            long nowNs = ClockReading.monotonicNowNs();
            if (!limit.file().toString().equals(lastFile)) {
                lastFile = limit.file().toString();
                values.add(CounterValues.ofText(ProcessCounter.CPU_LIMIT_FILE, pid, nowNs, lastFile));
            }
            values.add(CounterValues.of(
                    ProcessCounter.CPU_LIMIT,
                    pid,
                    nowNs,
                    Math.round(100 * limit.cpus()),
                    limit.periodNs(),
                    limit.since().periods(),
                    limit.since().throttledPeriods(),
                    limit.since().throttledNs()));
        });
    }

    private static boolean isTighter(Limit limit, Limit known) {
        return limit.since().throttledNs() != known.since().throttledNs()
                ? limit.since().throttledNs() > known.since().throttledNs()
                : limit.cpus() < known.cpus();
    }

    /** Empty if there is none; the root group has no such files. */
    private Optional<Limit> limit(ControlGroups.Group group) {
        try {
            Path file = group.folder().resolve(group.isUnified() ? "cpu.max" : "cpu.cfs_quota_us");
            String[] written = Files.readString(file).strip().split(" ");
            if (written[0].equals("max") || written[0].startsWith("-")) {
                return Optional.empty();
            }
            long periodUs = Long.parseLong(
                    group.isUnified()
                            ? written[1]
                            : Files.readString(group.folder().resolve("cpu.cfs_period_us"))
                                    .strip());
            Throttled now = throttled(Files.readString(group.folder().resolve("cpu.stat")), group.isUnified());
            Throttled before = first.computeIfAbsent(file, unused -> now);
            return Optional.of(new Limit(
                    file,
                    Long.parseLong(written[0]) * US,
                    periodUs * US,
                    new Throttled(
                            now.periods() - before.periods(),
                            now.throttledPeriods() - before.throttledPeriods(),
                            now.throttledNs() - before.throttledNs())));
        } catch (IOException e) {
            return Optional.empty(); // no such controller, or the group is gone
        }
    }

    private static Throttled throttled(String stat, boolean isUnified) {
        Map<String, Long> byName = new HashMap<>();
        stat.lines().map(line -> line.split(" ")).forEach(pair -> byName.put(pair[0], Long.parseLong(pair[1])));
        return new Throttled(
                byName.getOrDefault("nr_periods", 0L),
                byName.getOrDefault("nr_throttled", 0L),
                isUnified ? byName.getOrDefault("throttled_usec", 0L) * US : byName.getOrDefault("throttled_time", 0L));
    }
}
