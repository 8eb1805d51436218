package dev.probestream.collector.internal.histogram;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.ValueSums;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.probe.ArgumentType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the map of one histogram by its layout. Keys that are shown alike (texts that were cut) become one. */
final class HistogramReader {
    private final HistogramLayout layout;
    private final Map<Integer, String> probeNames;
    private final Map<String, Integer> textBytes;
    private final Optional<HistogramStacks> stacks;

    /**
     * @param probeNames by id, for keys that distinguish probes
     * @param textBytes as of {@link HistogramSpec}
     * @param stacks for keys that are stacks
     */
    HistogramReader(
            HistogramLayout layout,
            Map<Integer, String> probeNames,
            Map<String, Integer> textBytes,
            Optional<HistogramStacks> stacks) {
        this.layout = layout;
        this.stacks = stacks;
        this.textBytes = Map.copyOf(textBytes);
        this.probeNames = Map.copyOf(probeNames);
    }

    /** What was counted; sums are read by {@code sums}, if the layout has any. */
    List<HistogramTable.Row> read(BpfMap map, Optional<HistogramSums> sums) {
        Map<List<KeyValue>, HistogramTable.Row> rows = new LinkedHashMap<>();
        map.forEach((key, value) -> {
            HistogramTable.Row row = row(key, value, sums);
            rows.merge(row.key(), row, HistogramTable.Row::and);
        });
        return List.copyOf(rows.values());
    }

    private HistogramTable.Row row(ByteBuffer key, ByteBuffer value, Optional<HistogramSums> sums) {
        int bucket = (int) key.getLong(key.position() + HistogramLayout.BUCKET_OFFSET);
        if (sums.isEmpty()) {
            return new HistogramTable.Row(key(key), new TreeMap<>(Map.of(bucket, sum(value))));
        }
        int number = value.getInt(value.position());
        ValueSums values =
                bucket == Bucketing.UNREADABLE ? ValueSums.NONE : sums.get().take(number);
        return new HistogramTable.Row(
                key(key), new TreeMap<>(Map.of(bucket, sums.get().count(number))), values);
    }

    /** Of what all CPUs counted. */
    private static long sum(ByteBuffer perCpu) {
        long sum = 0;
        for (int offset = perCpu.position(); offset < perCpu.limit(); offset += Long.BYTES) {
            sum += perCpu.getLong(offset);
        }
        return sum;
    }

    private List<KeyValue> key(ByteBuffer key) {
        long unreadable = key.getLong(key.position() + HistogramLayout.UNREADABLE_OFFSET);
        List<KeyValue> values = new ArrayList<>(layout.parts().size());
        for (HistogramKeyPart part : layout.parts()) {
            ArgumentType type = part.slot().type();
            int offset = key.position() + part.slot().offset();
            if (part.isUnreadable(unreadable)) {
                values.add(KeyValue.unreadable(type));
            } else if (part.source() == HistogramKeyPart.Source.STACK) {
                values.add(
                        stacks.orElseThrow().value(part.name(), key.getLong(offset), key.getLong(offset + Long.BYTES)));
            } else if (part.source() == HistogramKeyPart.Source.PROBE) {
                int probeId = key.getInt(offset);
                values.add(KeyValue.text(
                        ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES),
                        probeNames.getOrDefault(probeId, "probe " + probeId)));
            } else if (type.isText()) {
                values.add(KeyValue.text(type, text(key, offset, part)));
            } else {
                values.add(KeyValue.named(type, key.getLong(offset), names(part)));
            }
        }
        return values;
    }

    /** The names of values of an argument, by the value in decimal. */
    private Map<String, String> names(HistogramKeyPart part) {
        return part.source() == HistogramKeyPart.Source.ARGUMENT
                ? layout.arguments().get(part.argument()).labels()
                : Map.of();
    }

    /**
     * The text up to its NUL. One that did not fit its room ends in an ellipsis, unless the spec gives the size that is
     * shown.
     */
    private String text(ByteBuffer key, int slotOffset, HistogramKeyPart part) {
        ArgumentType type = part.slot().type();
        boolean isChars = type.form() == ArgumentType.Form.CHARS;
        int start = isChars ? slotOffset : slotOffset + ArgumentSlot.TEXT_OFFSET;
        int most = textBytes.getOrDefault(part.name(), type.capacityBytes());
        int length = 0;
        while (length < most && key.get(start + length) != 0) {
            length++;
        }
        boolean isCut = !isChars && length == most && key.get(start + length) != 0;
        // Bytes 10xxxxxx go on with a character: do not keep the beginning of one.
        while (isCut && length > 0 && (key.get(start + length) & 0xc0) == 0x80) {
            length--;
        }
        byte[] utf8 = new byte[length];
        key.get(start, utf8);
        boolean isMarked = isCut && !textBytes.containsKey(part.name());
        return new String(utf8, StandardCharsets.UTF_8) + (isMarked ? "…" : "");
    }
}
