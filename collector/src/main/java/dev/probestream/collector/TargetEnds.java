package dev.probestream.collector;

import dev.probestream.bpf.machine.ProcessWatch;
import dev.probestream.collector.process.LaunchedCommand;
import dev.probestream.collector.process.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says when the processes a recording is about have all ended, and in what words. */
final class TargetEnds implements AutoCloseable {
    private final TargetScope scope;
    private final @Nullable LaunchedCommand launched;
    private final List<ProcessWatch> living = new ArrayList<>();

    /** @param launched borrowed; null = no command was started */
    TargetEnds(TargetScope scope, @Nullable LaunchedCommand launched) {
        this.scope = scope;
        this.launched = launched;
        if (scope.endsWithTargets()) {
            scope.targets().forEach(target -> living.add(ProcessWatch.open(target.pid())));
        }
    }

    /**
     * The reason to end, or empty while there is somebody to record.
     *
     * @param processes of the processes that were seen to begin and end, children among them
     */
    Optional<String> reason(ProcessRegistry processes) {
        return reason(scope.follow().children() && processes.livingCount() > 0);
    }

    /** The same where no children are watched. */
    Optional<String> reason() {
        return reason(false);
    }

    private Optional<String> reason(boolean childrenLive) {
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
        return living.isEmpty() && !childrenLive ? Optional.of(description()) : Optional.empty();
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
