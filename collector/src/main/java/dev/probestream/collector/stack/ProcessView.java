package dev.probestream.collector.stack;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.process.ProcessFiles;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.process.Target;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What is known of a process whose stacks are seen: its maps, and how to reach its files. What was read stays known when
 * the process has gone.
 */
final class ProcessView {
    /** An address outside the maps has them read again, but not more often than this: it may be in no map at all. */
    private static final long MIN_AGE_NS = 20_000_000;

    private final int pid;
    private final Optional<Target> target;
    private final LongSupplier nanoClock;
    private final Optional<ProcessFiles> files;
    private ProcessMaps maps = ProcessMaps.empty();
    private long mapsReadNs;
    private boolean isExpired;

    ProcessView(int pid, LongSupplier nanoClock) {
        this.pid = pid;
        this.nanoClock = nanoClock;
        this.target = target(pid);
        this.files = files(pid);
        readMaps();
    }

    int pid() {
        return pid;
    }

    /** The process itself; empty when it had gone before it was looked at, or may not be looked at. */
    Optional<Target> target() {
        return target;
    }

    /** Empty when the process had gone before it was looked at, or may not be looked at. */
    Optional<ProcessFiles> files() {
        return files;
    }

    /** As last read; immutable. */
    ProcessMaps maps() {
        return maps;
    }

    /** Has the maps read again when the next address is seen: they may have changed under known addresses too. */
    void expire() {
        isExpired = true;
    }

    /** Reads the maps again if they are old or show no code at the address (V8 makes code writable while it writes it). */
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

    /** A process that ends has no maps, and one that has gone none to read: then what was known stays. */
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
