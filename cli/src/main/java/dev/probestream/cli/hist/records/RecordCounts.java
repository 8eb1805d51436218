package dev.probestream.cli.hist.records;

import dev.probestream.cli.live.TaskNames;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;

/**
 * Counts the events of a collection. Every hit is in a row, or in the losses, or beyond the keys that are counted, or a call
 * that has not returned.
 */
public final class RecordCounts implements EventPublisher, RecordVisitor<RuntimeException> {
    private final List<RecordTable> tables = new ArrayList<>();
    private final Map<Integer, List<RecordTable>> tablesByProbe = new HashMap<>();
    private final StackNames stacks = new StackNames();
    private final TaskNames tasks = new TaskNames();
    private final EventView event = new EventView();
    private final Runnable flushed;
    private long startNs;
    private long endNs;
    private boolean isEnded;

    /**
     * Counts nothing yet.
     *
     * @param maxKeys so many keys each spec has room for, and so many texts all keys
     * @param flushed called about once a second, when the hits so far have names and losses are known
     */
    public RecordCounts(List<HistogramSpec> specs, int maxKeys, Runnable flushed) {
        this.flushed = flushed;
        TextTable texts = new TextTable(maxKeys);
        specs.forEach(spec -> tables.add(new RecordTable(spec, maxKeys, texts, stacks)));
    }

    /** The probes to collect, each once: a returned value that is a key or the value is recorded. */
    public static List<ProbeSpec> probes(List<HistogramSpec> specs) {
        Map<String, ProbeSpec> probes = new LinkedHashMap<>();
        for (HistogramSpec spec : specs) {
            ProbeSpec probe = probes.getOrDefault(spec.probe().text(), spec.probe());
            probes.put(probe.text(), needsReturned(spec) ? withReturned(probe) : probe);
        }
        return List.copyOf(probes.values());
    }

    private static boolean needsReturned(HistogramSpec spec) {
        boolean isNamed = spec.keys().contains(HistogramSpec.RET)
                || (!spec.of().isEmpty() && spec.valueNames().contains(HistogramSpec.RET));
        return isNamed
                && spec.probe().kind().hasReturnValue()
                && spec.probe().arguments().stream().map(ArgumentSpec::name).noneMatch(HistogramSpec.RET::equals);
    }

    private static ProbeSpec withReturned(ProbeSpec probe) {
        Optional<ReturnSpec> result = probe.result().or(() -> Optional.of(new ReturnSpec(ArgumentType.S64, "")));
        return probe.ofPreset(probe.arguments(), result, probe.filter(), probe.preset());
    }

    @Override
    public void publish(EventEncoder encoded) {
        try {
            event.wrap(encoded.bytes(), encoded.offset(), encoded.offset() + encoded.length());
        } catch (MalformedEventException e) {
            throw new IllegalStateException("an event that was encoded here cannot be read", e);
        }
        List<RecordTable> counting = tablesByProbe.get(event.probeId());
        if (counting == null) {
            throw new IllegalStateException("an event of the unknown probe " + event.probeId());
        }
        String comm = tasks.comm(event.tid());
        for (int i = 0; i < counting.size(); i++) {
            counting.get(i).count(event, comm);
        }
    }

    @Override
    public void publish(SpecificRecord metadata) {
        RecordVisitor.visit(metadata, this);
    }

    @Override
    public void capture(Capture capture) {
        startNs = capture.getMonotonicNs();
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) {
        endNs = captureEnd.getMonotonicNs();
        isEnded = true;
    }

    @Override
    public void probe(Probe probe) {
        List<RecordTable> counting = tables.stream()
                .filter(table -> table.spec().probe().text().equals(probe.getSpec()))
                .toList();
        counting.forEach(table -> table.addProbe(probe));
        tablesByProbe.put(probe.getProbeId(), counting);
    }

    @Override
    public void stack(Stack stack) {
        stacks.add(stack);
    }

    @Override
    public void loss(Loss loss) {
        tablesByProbe
                .getOrDefault(loss.getProbeId(), List.of())
                .forEach(table -> table.add(loss.getReason(), loss.getCount()));
    }

    @Override
    public void thread(Thread thread) {
        tasks.add(thread);
    }

    @Override
    public void process(Process process) {
        tasks.add(process);
    }

    @Override
    public void flush() {
        flushed.run();
    }

    @Override
    public void complete() {
        // The last counts are shown when the collection has returned.
    }

    @Override
    public long publishedBytes() {
        return 0;
    }

    /**
     * The counts so far.
     *
     * @param nowNs CLOCK_MONOTONIC; of no matter once the collection has ended
     */
    public HistogramSnapshot snapshot(long nowNs) {
        return new HistogramSnapshot(
                startNs,
                isEnded ? endNs : nowNs,
                tables.stream().map(table -> table.table(isEnded)).toList());
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
