package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.Window;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Makes the tracks of a capture's processes and threads from their records and from the ids of events. */
public final class ProcessTracks {
    /**
     * Two records of one pid are of one process if their starts are this close. /proc/PID/stat counts in ticks of 10 ms,
     * and no pid comes round again in that time.
     */
    private static final long SAME_START_NS = 20_000_000;

    private final CaptureTracks capture;
    private final TrackNumbers numbers;
    private final TreeMap<Integer, List<ProcessTrack>> byPid = new TreeMap<>();
    private final List<ProcessTrack> processes = new ArrayList<>();
    private final LongMap<ThreadTrack[]> threads = new LongMap<>();
    private final LongMap<ThreadTrack[]> threadsByTid = new LongMap<>();

    private ProcessTracks(CaptureTracks capture, TrackNumbers numbers) {
        this.capture = capture;
        this.numbers = numbers;
    }

    /**
     * @param seenThreads keys of the threads that events name, see {@link #key}
     * @param window which processes are selected
     */
    static ProcessTracks of(
            CaptureTracks capture,
            List<Process> processes,
            List<Thread> threads,
            List<Long> seenThreads,
            Window window,
            TrackNumbers numbers) {
        ProcessTracks tracks = new ProcessTracks(capture, numbers);
        for (Process process : latestOfEach(processes)) {
            if (window.hasProcess(process.getPid())) {
                tracks.add(process);
            }
        }
        List<Thread> known = new ArrayList<>();
        for (Thread thread : latestOfEachThread(threads)) {
            if (window.hasProcess(thread.getPid())) {
                known.add(thread);
            }
        }
        known.addAll(standIns(known, seenThreads));
        known.sort(Comparator.comparingInt(Thread::getPid)
                .thenComparing(thread -> thread.getTid() != thread.getPid())
                .thenComparingInt(Thread::getTid)
                .thenComparingLong(Thread::getStartNs));
        known.forEach(tracks::add);
        return tracks;
    }

    /** One number for a thread of a process. */
    public static long key(int pid, int tid) {
        return (long) pid << 32 | (tid & 0xFFFFFFFFL);
    }

    private static List<Process> latestOfEach(List<Process> records) {
        List<Process> latest = new ArrayList<>();
        for (Process record : records) {
            latest.removeIf(
                    other -> other.getPid() == record.getPid() && isSameStart(other.getStartNs(), record.getStartNs()));
            latest.add(record);
        }
        latest.sort(Comparator.comparingInt(Process::getPid).thenComparingLong(Process::getStartNs));
        return latest;
    }

    private static List<Thread> latestOfEachThread(List<Thread> records) {
        TreeMap<Long, List<Thread>> byKey = new TreeMap<>();
        for (Thread record : records) {
            List<Thread> incarnations =
                    byKey.computeIfAbsent(key(record.getPid(), record.getTid()), key -> new ArrayList<>());
            incarnations.removeIf(other -> isSameStart(other.getStartNs(), record.getStartNs()));
            incarnations.add(record);
        }
        List<Thread> latest = new ArrayList<>();
        byKey.values().forEach(latest::addAll);
        return latest;
    }

    private static boolean isSameStart(long a, long b) {
        return a == -1 || b == -1 || Math.abs(a - b) < SAME_START_NS;
    }

    private static List<Thread> standIns(List<Thread> known, List<Long> seen) {
        Set<Long> missing = new HashSet<>(seen);
        known.forEach(thread -> missing.remove(key(thread.getPid(), thread.getTid())));
        List<Thread> standIns = new ArrayList<>();
        for (long key : missing) {
            standIns.add(Thread.newBuilder()
                    .setCaptureId(0)
                    .setPid((int) (key >>> 32))
                    .setTid((int) key)
                    .setName("")
                    .setStartNs(-1)
                    .setEndNs(-1)
                    .build());
        }
        return standIns;
    }

    private ProcessTrack add(Process process) {
        ProcessTrack track = new ProcessTrack(
                numbers.nextProcess(),
                capture,
                process.getPid(),
                process.getParentPid(),
                process.getUid(),
                process.getName().isEmpty() ? "pid " + process.getPid() : process.getName(),
                process.getCommandLine(),
                traceNs(process.getStartNs()));
        processes.add(track);
        byPid.computeIfAbsent(process.getPid(), pid -> new ArrayList<>()).add(track);
        return track;
    }

    private void add(Thread thread) {
        long startNs = traceNs(thread.getStartNs());
        ProcessTrack process = processOf(thread.getPid(), startNs);
        String standIn = thread.getTid() == thread.getPid() ? process.plainName() : "tid " + thread.getTid();
        ThreadTrack track = new ThreadTrack(
                numbers.nextThread(),
                process,
                thread.getTid(),
                thread.getName().isEmpty() ? standIn : thread.getName(),
                startNs == Long.MIN_VALUE ? process.startNs() : startNs);
        process.add(track);
        putByStart(threads, key(thread.getPid(), thread.getTid()), track);
        putByStart(threadsByTid, thread.getTid(), track);
    }

    private long traceNs(long recordedNs) {
        return recordedNs == -1 ? Long.MIN_VALUE : capture.traceNs(recordedNs);
    }

    /** The process of that pid that was alive when a thread started; a stand-in if the recording has none. */
    private ProcessTrack processOf(int pid, long threadStartNs) {
        List<ProcessTrack> incarnations = byPid.get(pid);
        if (incarnations == null) {
            return add(Process.newBuilder()
                    .setCaptureId(0)
                    .setPid(pid)
                    .setParentPid(-1)
                    .setUid(-1)
                    .setName("")
                    .setExecutable("")
                    .setCommandLine(List.of())
                    .setStartNs(-1)
                    .setEndNs(-1)
                    .build());
        }
        ProcessTrack alive = incarnations.get(0);
        for (ProcessTrack incarnation : incarnations) {
            if (incarnation.startNs() - SAME_START_NS <= threadStartNs) {
                alive = incarnation;
            }
        }
        return alive;
    }

    private static void putByStart(LongMap<ThreadTrack[]> map, long key, ThreadTrack track) {
        ThreadTrack[] others = map.get(key);
        ThreadTrack[] all = others == null ? new ThreadTrack[1] : Arrays.copyOf(others, others.length + 1);
        all[all.length - 1] = track;
        Arrays.sort(all, Comparator.comparingLong(ThreadTrack::startNs));
        map.put(key, all);
    }

    List<ProcessTrack> processes() {
        return List.copyOf(processes);
    }

    LongMap<ThreadTrack[]> threads() {
        return threads;
    }

    LongMap<ThreadTrack[]> threadsByTid() {
        return threadsByTid;
    }

    /** Counts the processes and threads of all captures. */
    static final class TrackNumbers {
        private int processes;
        private int threads;

        int nextProcess() {
            return processes++;
        }

        int nextThread() {
            return threads++;
        }

        int processes() {
            return processes;
        }

        int threads() {
            return threads;
        }
    }
}
