package dev.probestream.bench.probe;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.KernelFeature;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.FunctionsInC;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.parse.SpecParser;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The programs that the collector writes for one probe of the target, attached, with the ring they fill. Nothing is
 * done with the samples: what a hit costs the target is over when its sample is in the ring.
 */
public final class Capture implements AutoCloseable {
    private static final int PROBE_ID = 1;
    private static final int POLL_LIMIT = 8192;

    private final Deque<Runnable> closers = new ArrayDeque<>();
    private final Map<String, BpfMap> maps;
    private final RingBuffer ring;

    private Capture(AttachPoint site, int pid, ProgramPlan plan, UprobeAttachMethod means) {
        try {
            BpfObjects objects = FunctionsInC.link(plan).load();
            closers.push(objects::close);
            maps = objects.maps();
            this.ring = RingBuffer.map(map(MapNames.EVENTS));
            closers.push(ring::close);
            for (PlannedProgram planned : plan.programs()) {
                BpfProgram program = objects.program(planned.program().name());
                boolean isReturn = planned.attachment().kind() == Attachment.Kind.USER_RETURN;
                Link link = Uprobes.attach(means, program, List.of(site), isReturn, pid);
                closers.push(link::close);
            }
            map(MapNames.WINDOW).update(BpfMap.key(0), BpfMap.key(1));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Probes the target as the collector would.
     *
     * @param spec of the target's function
     * @param ringSizeBytes a power of two
     */
    public static Capture attach(TargetProgram target, String spec, int ringSizeBytes) {
        return attach(target.executable(), target.site(0).fileOffset(), target.pid(), spec, ringSizeBytes, false);
    }

    /**
     * Probes a function of any program.
     *
     * @param withJavaScript whether user stacks have JavaScript frames; processes that run V8 are to be put into {@link
     *     #map}
     */
    public static Capture attach(
            Path file, long fileOffset, int pid, String spec, int ringSizeBytes, boolean withJavaScript) {
        UprobeAttachMethod means = UprobeAttachMethod.best();
        RegisterTable registers = RegisterTable.ofJavaArchitecture(System.getProperty("os.arch"))
                .orElseThrow(() -> new IllegalStateException("no table of this machine's registers"));
        ProgramOptions options = ProgramOptions.of(registers, TargetFilter.process(pid))
                .withJavaScript(withJavaScript)
                .withUprobes(
                        means.attachType(),
                        KernelFeature.SLEEPABLE_UPROBE.probe().isSupported(),
                        means.hasCookies())
                .withSizes(ringSizeBytes, ProgramOptions.DEFAULT_MAX_OPEN_SPANS);
        ResolvedProbe probe = ResolvedProbe.of(PROBE_ID, SpecParser.parse(spec), Optional.empty());
        AttachPoint site = new AttachPoint(file, fileOffset, 0, means.hasCookies() ? PROBE_ID : 0);
        return new Capture(site, pid, ProgramPlanner.plan(List.of(probe), options), means);
    }

    /** Takes everything out of the ring and returns how many samples that were. */
    public long drain() {
        long samples = 0;
        int polled;
        do {
            polled = ring.poll((buffer, offset, lengthBytes) -> {}, POLL_LIMIT);
            samples += polled;
        } while (polled == POLL_LIMIT);
        return samples;
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }

    /** A map of the programs. */
    public BpfMap map(String name) {
        BpfMap map = maps.get(name);
        if (map == null) {
            throw new IllegalStateException("the plan has no map " + name);
        }
        return map;
    }
}
