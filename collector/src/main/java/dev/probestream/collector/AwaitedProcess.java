package dev.probestream.collector;

import dev.probestream.collector.internal.find.ProbeFinder;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Waits until a process of the name that was asked for runs, if its files have to be looked at. */
public final class AwaitedProcess {
    private static final long LOOK_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private AwaitedProcess() {}

    /**
     * Returns when the targets can be looked for: at once, unless they are selected by a name that no process has and a
     * probe is in a file that only the process shows.
     *
     * @param targets what to wait for
     * @param probes what is to be attached
     * @param limit the longest time to wait; empty = until {@code stop} is raised
     * @param stop ends the waiting
     * @param messages called once if there is something to wait for
     * @throws ResolveException if the waiting was ended before there was such a process
     */
    public static void await(
            TargetSelection targets,
            List<ProbeSpec> probes,
            Optional<Duration> limit,
            StopSignal stop,
            Consumer<String> messages)
            throws ResolveException {
        String comm = targets.comm().orElse("");
        if (comm.isEmpty() || TargetProcesses.isRunning(comm)) {
            return;
        }
        if (ProbeFinder.areFoundBeforehand(probes)) {
            messages.accept("no process named " + comm
                    + " is running yet: the probes are attached now, so that they have its hits from its start");
            return;
        }
        messages.accept("waiting for a process named " + comm + "; Ctrl-C ends it");
        long startNs = System.nanoTime();
        long limitNs = limit.map(Duration::toNanos).orElse(Long.MAX_VALUE);
        while (!TargetProcesses.isRunning(comm)) {
            boolean isOver = System.nanoTime() - startNs >= limitNs;
            if (stop.isRaised() || isOver) {
                throw new ResolveException(
                        ResolveException.Reason.NO_PROCESS,
                        TargetProcesses.noneStarted(comm) + (isOver ? " within the time of --for" : ""));
            }
            LockSupport.parkNanos(LOOK_EVERY_NS);
        }
        messages.accept(
                comm + " has started: its hits before the probes are attached are missing; probes whose files are"
                        + " named by their paths (uprobe:/PATH:FUNCTION) are attached beforehand");
    }
}
