package dev.probestream.collector;

import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.probe.ResolveException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Waits until a process of the name that was asked for runs, so that its files can be looked at. */
public final class AwaitedProcess {
    private static final long LOOK_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private AwaitedProcess() {}

    /**
     * Returns when the targets can be looked for: at once, unless they are selected by a name that no process has.
     *
     * @param targets what to wait for
     * @param stop ends the waiting
     * @param messages told once if there is something to wait for
     * @throws ResolveException if the waiting was ended before there was such a process
     */
    public static void await(TargetSelection targets, StopSignal stop, Consumer<String> messages)
            throws ResolveException {
        String comm = targets.comm().orElse("");
        if (comm.isEmpty() || TargetProcesses.isRunning(comm)) {
            return;
        }
        messages.accept("waiting for a process named " + comm + "; Ctrl-C ends it");
        while (!TargetProcesses.isRunning(comm)) {
            if (stop.isRaised()) {
                throw new ResolveException(
                        ResolveException.Reason.NO_PROCESS, "no process named " + comm + " was started");
            }
            LockSupport.parkNanos(LOOK_EVERY_NS);
        }
    }
}
