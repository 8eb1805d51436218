package dev.probestream.convert.timeline;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A process of a capture. The same pid at another start is another process. */
public final class ProcessTrack {
    private final int index;
    private final CaptureTracks capture;
    private final int pid;
    private final int parentPid;
    private final int uid;
    private final String name;
    private final List<String> commandLine;
    private final long startNs;
    private final List<ThreadTrack> threads = new ArrayList<>();

    ProcessTrack(
            int index,
            CaptureTracks capture,
            int pid,
            int parentPid,
            int uid,
            String name,
            List<String> commandLine,
            long startNs) {
        this.index = index;
        this.capture = capture;
        this.pid = pid;
        this.parentPid = parentPid;
        this.uid = uid;
        this.name = name;
        this.commandLine = List.copyOf(commandLine);
        this.startNs = startNs;
    }

    /** Counts the processes of all captures from 0. */
    public int index() {
        return index;
    }

    public CaptureTracks capture() {
        return capture;
    }

    public int pid() {
        return pid;
    }

    /** -1 = unknown. */
    public int parentPid() {
        return parentPid;
    }

    /** -1 = unknown. */
    public int uid() {
        return uid;
    }

    /** Its name, and its host if the trace is of several. */
    public String name() {
        return name + capture.label();
    }

    String plainName() {
        return name;
    }

    public List<String> commandLine() {
        return commandLine;
    }

    /** On the trace's clock; {@link Long#MIN_VALUE} = unknown. */
    public long startNs() {
        return startNs;
    }

    /** The main thread first, then by tid. */
    public List<ThreadTrack> threads() {
        return Collections.unmodifiableList(threads);
    }

    void add(ThreadTrack thread) {
        threads.add(thread);
    }
}
