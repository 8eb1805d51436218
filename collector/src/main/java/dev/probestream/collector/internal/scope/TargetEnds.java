package dev.probestream.collector.internal.scope;

import dev.probestream.bpf.machine.ProcessWatch;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Detects that all traced processes have ended, and describes how they ended. */
public final class TargetEnds implements AutoCloseable {
    private final TargetScope scope;
    private final @Nullable LaunchedCommand launched;
    private final List<ProcessWatch> living = new ArrayList<>();

    /** @param launched borrowed; null = no command was started */
    public TargetEnds(TargetScope scope, @Nullable LaunchedCommand launched) {
        this.scope = scope;
        this.launched = launched;
        if (scope.endsWithTargets()) {
            scope.targets().forEach(target -> watch(target.pid()));
        }
    }

    private void watch(int pid) {
        try {
            living.add(ProcessWatch.open(pid));
        } catch (SyscallException e) {
            if (e.errno() != Errno.ESRCH) {
                throw e;
            } // else it has ended since it was found
        }
    }

    /**
     * The reason to end, or empty while a traced process lives.
     *
     * @param childrenLive whether one of the processes that live, children included, is traced; asked only once those that
     *     were there at the start have ended, and only if children are followed
     */
    public Optional<String> reason(BooleanSupplier childrenLive) {
        if (!scope.endsWithTargets()) {
            return Optional.empty();
        }
        living.removeIf(process -> {
            boolean hasExited = process.hasExited();
            if (hasExited) {
                process.close();
            }
            return hasExited;
        });
        if (!living.isEmpty() || (scope.follow().children() && childrenLive.getAsBoolean())) {
            return Optional.empty();
        }
        return Optional.of(description());
    }

    @Override
    public void close() {
        living.forEach(ProcessWatch::close);
        living.clear();
    }

    private String description() {
        if (launched != null) {
            return "the command '" + launched.command().get(0) + "' ended"
                    + launched.exitCode().map(code -> " with status " + code).orElse("");
        }
        List<Target> targets = scope.targets();
        return targets.size() == 1
                ? "process " + targets.get(0).pid() + " (" + targets.get(0).comm() + ") exited"
                : "all " + targets.size() + " processes exited";
    }
}
