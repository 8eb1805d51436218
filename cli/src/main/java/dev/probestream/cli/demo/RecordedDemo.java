package dev.probestream.cli.demo;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Statistics of the sample server's capture, collected in one pass. */
final class RecordedDemo implements RecordingHandler {
    static final String LOOP = "node-loop";
    static final String FILES = "node-fs";
    static final String GARBAGE = "node-gc";
    static final String SYSTEM_CALLS = "syscalls";

    private final Map<Integer, Probe> probes = new HashMap<>();
    private final Map<Integer, ProbeArguments> arguments = new HashMap<>();
    private final Map<String, DurationsByName> durationsByCategory = new HashMap<>();
    private final FileOperations fileOperations = new FileOperations();
    private final Map<String, Long> counts = new HashMap<>();
    private long events;
    private boolean isContiguous = true;
    private long losses;

    /** Empty; records are added in order, a probe before its events. */
    public RecordedDemo() {}

    /** The number of events. */
    public long events() {
        return events;
    }

    /** Whether the sequence numbers were 0, 1, 2 and so on, without gap or duplicate. */
    public boolean isContiguous() {
        return isContiguous;
    }

    long losses() {
        return losses;
    }

    /** The number of events of all probes of this name. */
    long count(String probeName) {
        return counts.getOrDefault(probeName, 0L);
    }

    DurationsByName durations(String category) {
        return durationsByCategory.getOrDefault(category, new DurationsByName());
    }

    FileOperations fileOperations() {
        return fileOperations;
    }

    @Override
    public void probe(Probe probe) {
        probes.put(probe.getProbeId(), probe);
        arguments.put(probe.getProbeId(), ProbeArguments.of(probe));
    }

    @Override
    public void hitSummary(HitSummary summary) {
        Probe probe = probes.get(summary.getProbeId());
        if (probe != null) {
            durationsByCategory
                    .computeIfAbsent(probe.getCategory(), category -> new DurationsByName())
                    .add(probe.getName(), summary);
        }
    }

    @Override
    public void loss(Loss loss) {
        losses += loss.getCount();
    }

    @Override
    public void event(EventView event) {
        isContiguous &= event.sequence() == events;
        events++;
        Probe probe = probes.get(event.probeId());
        ProbeArguments layout = arguments.get(event.probeId());
        if (probe == null || layout == null) {
            return;
        }
        counts.merge(probe.getName(), 1L, Long::sum);
        // Those of system calls are in the sums, too.
        if (event.kind() == EventKind.SPAN && !probe.getCategory().equals(SYSTEM_CALLS)) {
            durationsByCategory
                    .computeIfAbsent(probe.getCategory(), category -> new DurationsByName())
                    .add(probe.getName(), Math.max(event.durationNs(), 0));
        }
        if (probe.getCategory().equals(FILES) && layout.flowNumber() >= 0) {
            fileEvent(event, probe, layout);
        }
    }

    private void fileEvent(EventView event, Probe probe, ProbeArguments layout) {
        long request = event.number(layout.flowNumber());
        if (layout.flow() == FlowStep.START) {
            String path = layout.textCount() == 0 ? "" : event.string(0);
            fileOperations.called(request, probe.getName(), path, event);
        } else if (layout.flow() == FlowStep.END) {
            fileOperations.completed(request, event);
        }
    }

    /**
     * The positions in an event of the arguments that the table uses.
     *
     * @param flow which step of a flow the probe is
     * @param flowNumber index among the event's numbers of the argument that is the flow's id; -1 = none
     * @param textCount how many texts an event has
     */
    private record ProbeArguments(FlowStep flow, int flowNumber, int textCount) {
        static ProbeArguments of(Probe probe) {
            FlowStep flow = FlowStep.NONE;
            int flowNumber = -1;
            int numbers = 0;
            int texts = 0;
            List<Argument> arguments = probe.getArguments();
            for (Argument argument : arguments) {
                if (isText(argument)) {
                    texts++;
                    continue;
                }
                if (argument.getFlow() != FlowStep.NONE && flowNumber < 0) {
                    flow = argument.getFlow();
                    flowNumber = numbers;
                }
                numbers++;
            }
            return new ProbeArguments(flow, flowNumber, texts);
        }

        private static boolean isText(Argument argument) {
            return argument.getType().startsWith("str") || argument.getType().startsWith("char");
        }
    }
}
