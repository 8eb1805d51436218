package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time, run queue delay, memory and threads of one process, from /proc/PID/stat, /proc/PID/status and
 * /proc/PID/task/TID/schedstat (proc_pid_stat(5), Documentation/scheduler/sched-stats.rst). Holds what its living threads
 * had at the last reading.
 */
final class ProcessTimes {
    /** USER_HZ of every architecture that we run on is 100. */
    private static final long TICK_NS = 10_000_000;
    /** The fields of stat behind the name in parentheses, from 0. */
    private static final int STATE_FIELD = 0;

    private static final int USER_FIELD = 11;
    private static final int SYSTEM_FIELD = 12;
    private static final int THREADS_FIELD = 17;

    private final int pid;
    private Map<String, Long> delayByThread = new HashMap<>();
    private long delayOfEndedNs;
    private long lastNs;
    private long lastUserNs;
    private long lastSystemNs;
    private long lastDelayNs;

    ProcessTimes(int pid) {
        this.pid = pid;
    }

    /**
     * Reads once.
     *
     * @throws IOException if the process has ended, also if its parent has not noticed yet
     */
    void read(List<CounterValues> values) throws IOException {
        String stat = ProcFile.read(pid, "stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        if (fields[STATE_FIELD].equals("Z") || fields[STATE_FIELD].equals("X")) {
            throw new IOException("process " + pid + " has ended");
        }
        long userNs = Long.parseLong(fields[USER_FIELD]) * TICK_NS;
        long systemNs = Long.parseLong(fields[SYSTEM_FIELD]) * TICK_NS;
        long delayNs = runDelayNs();
        long rssBytes = ProcFile.statusField(ProcFile.read(pid, "status"), "VmRSS")
                .map(kibibytes -> Long.parseLong(kibibytes.replace(" kB", "").strip()) * 1024)
                .orElse(CounterValues.UNKNOWN);
        long nowNs = ClockReading.monotonicNowNs();
        values.add(CounterValues.of(ProcessCounter.CPU, pid, nowNs, userNs, systemNs, delayNs));
        if (lastNs > 0) {
            values.add(CounterValues.of(
                    ProcessCounter.CPU_LOAD,
                    pid,
                    nowNs,
                    percent(userNs - lastUserNs, nowNs),
                    percent(systemNs - lastSystemNs, nowNs),
                    delayNs == CounterValues.UNKNOWN ? delayNs : percent(delayNs - lastDelayNs, nowNs)));
        }
        values.add(CounterValues.of(ProcessCounter.MEMORY, pid, nowNs, rssBytes));
        values.add(CounterValues.of(ProcessCounter.THREADS, pid, nowNs, Long.parseLong(fields[THREADS_FIELD])));
        lastNs = nowNs;
        lastUserNs = userNs;
        lastSystemNs = systemNs;
        lastDelayNs = delayNs;
    }

    private long percent(long ns, long nowNs) {
        return Math.max(0, Math.round(100.0 * ns / (nowNs - lastNs)));
    }

    /** Of all threads; those that have ended count with what they had when they were read last. */
    private long runDelayNs() throws IOException {
        Map<String, Long> delays = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(ProcFile.of(pid, "task"))) {
            for (Path task : tasks) {
                long delayNs = runDelayNs(task);
                if (delayNs != CounterValues.UNKNOWN) {
                    delays.put(task.getFileName().toString(), delayNs);
                }
            }
        }
        delayByThread.forEach((thread, delayNs) -> delayOfEndedNs += delays.containsKey(thread) ? 0 : delayNs);
        delayByThread = delays;
        return delays.isEmpty()
                ? CounterValues.UNKNOWN
                : delayOfEndedNs
                        + delays.values().stream().mapToLong(Long::longValue).sum();
    }

    /** schedstat: time on a CPU, time ready without one, time slices; a kernel without CONFIG_SCHED_INFO has no such file. */
    private static long runDelayNs(Path task) {
        try {
            String[] fields =
                    Files.readString(task.resolve("schedstat")).strip().split(" ");
            return Long.parseLong(fields[1]);
        } catch (IOException e) {
            return CounterValues.UNKNOWN; // the thread has ended
        }
    }
}
