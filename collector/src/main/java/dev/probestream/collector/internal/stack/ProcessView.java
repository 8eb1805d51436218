package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A process whose stacks are named: its maps and the access to its files. Data that was read stays available after the
 * process has exited.
 */
final class ProcessView {
    /** Minimum time between two reads of the maps that an address outside of them triggers. */
    private static final long MIN_AGE_NS = 20_000_000;

    private final int pid;
    private final Optional<Target> target;
    private final LongSupplier nanoClock;
    private final Optional<ProcessFiles> files;
    private ProcessMaps maps = ProcessMaps.empty();
    private long mapsReadNs;
    private boolean isExpired;

    /**
     * The memory of a process when it forked.
     *
     * @param files empty if they are not accessible
     */
    record Inherited(ProcessMaps maps, Optional<ProcessFiles> files) {}

    /**
     * @param inherited what a process has from its parent, if it was forked and has executed nothing since; else its maps
     *     are read
     */
    ProcessView(int pid, LongSupplier nanoClock, Optional<Inherited> inherited) {
        this.pid = pid;
        this.nanoClock = nanoClock;
        this.target = target(pid);
        this.files = files(pid).or(() -> inherited.flatMap(Inherited::files));
        if (inherited.isPresent() && !inherited.get().maps().ranges().isEmpty()) {
            maps = inherited.get().maps();
        } else {
            readMaps();
        }
        // The first unknown address is looked up at once: a program maps its libraries after it was executed.
        mapsReadNs = nanoClock.getAsLong() - MIN_AGE_NS;
    }

    boolean hasEnded() {
        return !Files.exists(ProcFile.of(pid, "maps"));
    }

    /** What a child has that this process forks now. */
    Inherited inheritance() {
        return new Inherited(maps, files);
    }

    int pid() {
        return pid;
    }

    /** The process; empty if it had exited before it was read or access is denied. */
    Optional<Target> target() {
        return target;
    }

    /** Empty if the process had exited before it was read or access is denied. */
    Optional<ProcessFiles> files() {
        return files;
    }

    /** The maps as last read; immutable. */
    ProcessMaps maps() {
        return maps;
    }

    /** Makes the next {@link #refreshFor} read the maps again: known addresses may be mapped to something else. */
    void expire() {
        isExpired = true;
    }

    /**
     * Reads the maps again if they are expired or show no code at the address (V8 makes code writable while it writes
     * it).
     */
    void refreshFor(long address) {
        boolean isTooEarly = nanoClock.getAsLong() - mapsReadNs < MIN_AGE_NS;
        if (isExpired
                || (!isTooEarly
                        && maps.covering(address)
                                .filter(MappedRange::isExecutable)
                                .isEmpty())) {
            readMaps();
        }
    }

    /** Keeps the old maps if the process is exiting (its maps are empty) or has exited. */
    private void readMaps() {
        mapsReadNs = nanoClock.getAsLong();
        isExpired = false;
        Optional<ProcessMaps> now = mapsOf(pid);
        if (now.isPresent() && !now.get().ranges().isEmpty()) {
            maps = now.get();
        }
    }

    private static Optional<ProcessMaps> mapsOf(int pid) {
        try {
            return Optional.of(ProcessMaps.read(pid));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Target> target(int pid) {
        try {
            return Optional.of(Target.of(pid));
        } catch (ResolveException e) {
            return Optional.empty();
        }
    }

    private static Optional<ProcessFiles> files(int pid) {
        try {
            return Optional.of(ProcessFiles.of(pid));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
