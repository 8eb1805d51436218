package dev.probestream.cli.loop;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.preset.ProbeSet;
import java.util.ArrayList;
import java.util.List;

/** The probes that trace event loops. */
final class LoopProbes {
    /**
     * The start of a wait, which ends a turn; the span of the wait is recorded too late. It is attached first, so that its
     * program runs last: the span of the phase before comes before it. Offsets in uv_loop_t: active_handles 8, active_reqs.count 32 (see the preset node-loop).
     */
    static final String POLL_ENTRY_SPEC =
            "uprobe:uv__io_poll(loop=arg1:ptr, handles=*arg1:u32@+8, requests=*arg1:u32@+32)";

    /** The name of a garbage collector pause in the preset. */
    private static final String PAUSE = "GC";

    /** The name of a synchronous call of the file system in the preset; its cases are named uv_fs_open and so on. */
    private static final String CALL = "synchronous fs call";

    private LoopProbes() {}

    /**
     * The probes.
     *
     * @param withCalls whether synchronous file system calls are included; others do not keep the loop
     */
    public static List<ProbeSpec> specs(boolean withCalls) {
        List<ProbeSpec> specs = new ArrayList<>();
        specs.add(SpecParser.parse(POLL_ENTRY_SPEC));
        ProbeSet.named("node-loop").probes().stream()
                .filter(spec -> spec.kind() == ProbeKind.SPAN || spec.untilNext())
                .forEach(specs::add);
        ProbeSet.named("node-gc").probes().stream()
                .filter(spec -> spec.preset().name().equals(PAUSE))
                .forEach(specs::add);
        if (withCalls) {
            ProbeSet.named("node-fs").probes().stream()
                    .filter(spec -> spec.preset().name().equals(CALL))
                    .forEach(specs::add);
        }
        return List.copyOf(specs);
    }
}
