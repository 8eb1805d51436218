package dev.probestream.cli.hist.records;

import dev.probestream.cli.live.ValueReader;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.ValueExpression;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The counts of one spec. A key is one long for each of its parts and one of bits: which parts could not be read. Keys are
 * distinguished by the ids of their stacks; those that are shown alike become one in {@link #table}.
 */
final class RecordTable {
    /** What the buckets of all keys may take of the memory. */
    private static final long MAX_BUCKET_BYTES = 64L << 20;

    private final HistogramSpec spec;
    private final TextTable texts;
    private final StackNames stacks;
    private final KeyTable keys;
    private final List<KeyCounts> counts = new ArrayList<>();
    private final Map<Integer, ProbeReaders> readers = new LinkedHashMap<>();
    private final SortedMap<LossReason, Long> losses = new TreeMap<>();
    private final long[] key;
    private long openCalls;
    private long beyondKeys;

    /** How the values of one probe's events are read. */
    private record ProbeReaders(List<KeyReader> keys, Optional<ValueReader> value) {}

    RecordTable(HistogramSpec spec, int maxKeys, TextTable texts, StackNames stacks) {
        this.spec = spec;
        this.texts = texts;
        this.stacks = stacks;
        this.key = new long[spec.keys().size() + 1];
        long bucketBytes = (long) spec.bucketing().bucketCount() * Long.BYTES;
        this.keys = new KeyTable(key.length, (int) Math.min(maxKeys, MAX_BUCKET_BYTES / bucketBytes));
    }

    HistogramSpec spec() {
        return spec;
    }

    void addProbe(Probe probe) {
        Optional<ValueReader> value = spec.of().isEmpty()
                ? Optional.empty()
                : Optional.of(ValueReader.of(ValueExpression.parse(spec.of()), probe));
        List<KeyReader> parts = spec.keys().stream()
                .map(part -> KeyReader.of(spec, part, probe))
                .toList();
        readers.put(probe.getProbeId(), new ProbeReaders(parts, value));
    }

    void add(LossReason reason, long count) {
        losses.merge(reason, count, Long::sum);
    }

    /** Counts an event of a probe of this table. */
    void count(EventView event, String comm) {
        ProbeReaders reader = readers.get(event.probeId());
        if (reader == null) {
            throw new IllegalStateException("an event of the unknown probe " + event.probeId());
        }
        if (event.kind() == EventKind.OPEN_SPAN) {
            openCalls++;
            return;
        }
        int number = readKey(reader, event, comm) ? keys.number(key) : -1;
        if (number < 0) {
            beyondKeys++;
            return;
        }
        if (number == counts.size()) {
            counts.add(new KeyCounts(
                    spec.bucketing(),
                    reader.value().filter(ValueReader::isUnsigned).isPresent()));
            keepStacks(reader, event);
        }
        KeyCounts row = counts.get(number);
        if (reader.value().isEmpty()) {
            row.hit();
        } else if (reader.value().get().isReadable(event)) {
            ValueReader value = reader.value().get();
            row.value(value.value(event), value.type().isSigned());
        } else {
            row.unreadable();
        }
    }

    /** Fills the key; false if a text has no room. */
    private boolean readKey(ProbeReaders reader, EventView event, String comm) {
        long unreadable = 0;
        for (int i = 0; i < reader.keys().size(); i++) {
            KeyReader part = reader.keys().get(i);
            boolean isReadable = part.isReadable(event);
            key[i] = isReadable ? part.read(event, comm, texts) : 0;
            unreadable |= isReadable ? 0 : 1L << i;
            if (key[i] < 0 && part.isText()) {
                return false;
            }
        }
        key[key.length - 1] = unreadable;
        return true;
    }

    private void keepStacks(ProbeReaders reader, EventView event) {
        for (KeyReader part : reader.keys()) {
            if (part.source() == KeyReader.Source.STACK) {
                stacks.keep(event.stackId());
            }
        }
    }

    /** The counts so far. The smallest and greatest values since the previous call are in its rows, too. */
    HistogramTable table(boolean isEnded) {
        Map<List<KeyValue>, HistogramTable.Row> rows = new LinkedHashMap<>();
        for (int number = 0; number < counts.size(); number++) {
            HistogramTable.Row row = new HistogramTable.Row(
                    key(number),
                    counts.get(number).byBucket(),
                    counts.get(number).takeSums());
            rows.merge(row.key(), row, RecordTable::merged);
        }
        return new HistogramTable(spec, List.copyOf(rows.values()), losses, isEnded ? openCalls : 0, beyondKeys);
    }

    private static HistogramTable.Row merged(HistogramTable.Row a, HistogramTable.Row b) {
        SortedMap<Integer, Long> counts = new TreeMap<>(a.countByBucket());
        b.countByBucket().forEach((bucket, count) -> counts.merge(bucket, count, Long::sum));
        return new HistogramTable.Row(a.key(), counts, a.sums().and(b.sums()));
    }

    private List<KeyValue> key(int number) {
        // The probes of a spec have the same values: a spec whose types differ is refused.
        List<KeyReader> parts = readers.values().iterator().next().keys();
        long unreadable = keys.part(number, parts.size());
        List<KeyValue> values = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            long part = keys.part(number, i);
            boolean isReadable = (unreadable >>> i & 1) == 0;
            values.add(
                    parts.get(i).source() == KeyReader.Source.STACK
                            ? stacks.value(spec.keys().get(i), part)
                            : parts.get(i).value(isReadable, part, texts));
        }
        return values;
    }
}
