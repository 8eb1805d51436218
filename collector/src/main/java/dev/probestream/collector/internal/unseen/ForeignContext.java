package dev.probestream.collector.internal.unseen;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a selection of processes hides: tracepoints that fire while another thread runs than the one they concern, and, if
 * everything is selected, probes whose file is known only from a process.
 */
public final class ForeignContext {
    /**
     * CATEGORY:EVENT or EVENT of tracepoints in interrupts, kernel threads and the idle loop (include/trace/events). That
     * a wake-up is in the context of the thread that wakes is another matter: the set sched records both.
     */
    private static final Pattern FOREIGN = Pattern.compile("(?:block:)?block_(?:rq_(?:complete|error)|bio_complete)"
            + "|irq:.*|irq_(?:handler_entry|handler_exit)|(?:irq:)?(?:softirq|tasklet)_.*|irq_vectors:.*"
            + "|(?:napi:)?napi_.*|(?:net:)?(?:netif_(?:receive|rx).*|napi_gro_.*)"
            + "|(?:timer:)?(?:timer|hrtimer)_expire_.*|(?:timer:)?tick_stop"
            + "|(?:tcp:)?tcp_(?:probe|receive_reset|retransmit_skb|retransmit_synack|bad_csum)"
            + "|(?:sock:)?inet_sock_set_state|(?:skb:)?(?:kfree_skb|consume_skb)|xdp:.*"
            + "|workqueue:workqueue_execute_.*|workqueue_execute_.*|writeback:.*"
            + "|(?:nvme:)?nvme_complete_rq|(?:scsi:)?scsi_dispatch_cmd_(?:done|timeout)"
            + "|power:.*|cpu_(?:idle|frequency)|rcu:.*|thermal:.*");

    private final boolean isEverything;
    private final Set<String> foreign = new LinkedHashSet<>();
    private final Set<String> setsOfProcesses = new LinkedHashSet<>();

    public ForeignContext(boolean isEverything) {
        this.isEverything = isEverything;
    }

    /** Takes note of a probe in the kernel. */
    public void add(ProbeSpec spec) {
        boolean isTracepoint = spec.kind() == ProbeKind.TRACEPOINT || spec.kind() == ProbeKind.RAWTRACEPOINT;
        String name = spec.module().isEmpty() ? spec.function() : spec.module() + ":" + spec.function();
        if (isTracepoint && !isEverything && FOREIGN.matcher(name).matches()) {
            foreign.add(name);
        }
    }

    /**
     * Leaves out a probe of a set whose file is known only from a process.
     *
     * @throws ResolveException if the user has written it
     */
    public void needsProcess(ProbeSpec spec) throws ResolveException {
        if (!spec.preset().optional()) {
            throw new ResolveException(
                    ResolveException.Reason.NO_FILE,
                    "resolve " + spec.text() + " in every process (--all): name the file by its path, as in "
                            + spec.kind().spelling() + ":/PATH:" + spec.function());
        }
        setsOfProcesses.add(spec.preset().category());
    }

    /** @throws ResolveException if nothing is left */
    public void conclude(boolean isAnythingFound) throws ResolveException {
        if (!isAnythingFound && !setsOfProcesses.isEmpty()) {
            throw new ResolveException(
                    ResolveException.Reason.NO_FILE,
                    "find the probes of " + String.join(", ", setsOfProcesses)
                            + " in every process (--all): they are in"
                            + " the program of a process; select processes by -p PID, --comm NAME or --cgroup FOLDER");
        }
    }

    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (!foreign.isEmpty()) {
            warnings.add(UnhitProbes.list(List.copyOf(foreign)) + (foreign.size() == 1 ? " fires" : " fire")
                    + " mostly outside the process that caused it (in interrupts and kernel threads): only the hits"
                    + " while a traced process runs are recorded; --all records every hit");
        }
        if (!setsOfProcesses.isEmpty()) {
            warnings.add("left out with --all, because their probes are in the program of a process: "
                    + String.join(", ", setsOfProcesses));
        }
        return warnings;
    }
}
