package dev.probestream.cli.hist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.collector.histogram.BucketRange;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.StackFunction;
import dev.probestream.collector.histogram.ValueSums;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;

/**
 * Writes a snapshot as one line of JSON, with every key and exact buckets:
 *
 * <pre>
 * {"from_ns": 1, "to_ns": 2, "is_total": true, "histograms": [{"name": "...", "of": "duration", "keys": ["fd"],
 *   "rows": [{"key": [3], "count": 7, "buckets": [{"from": 1, "to": 1, "count": 7}]}],
 *   "lost": {"RETURN_NOT_SEEN": 1}, "open_calls": 0}]}
 * </pre>
 *
 * Times are CLOCK_MONOTONIC. A value that could not be read is null in a key, and its bucket has {@code
 * "unreadable": true}. A bucket without a bound leaves it out. A count without buckets has no {@code of}. A stack, or the
 * function of one, is an array of its functions in a key, the innermost first: {@code {"symbol": "main", "kind": "native",
 * "file": "...", "line": 1}}. Where values are added up a row has {@code values}, {@code sum}, {@code average}, {@code min}
 * and {@code max} instead of buckets.
 */
final class HistogramJson {
    private final ObjectMapper mapper = new ObjectMapper();

    /**
     * Formats a snapshot as one line, without a line break.
     *
     * @param isTotal whether it holds everything since the probes were attached
     */
    public String line(HistogramSnapshot snapshot, boolean isTotal) {
        ObjectNode root = mapper.createObjectNode();
        root.put("from_ns", snapshot.fromNs()).put("to_ns", snapshot.toNs()).put("is_total", isTotal);
        ArrayNode histograms = root.putArray("histograms");
        snapshot.tables().forEach(table -> table(histograms.addObject(), table));
        try {
            return mapper.writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values is always JSON", e);
        }
    }

    private static void table(ObjectNode node, HistogramTable table) {
        node.put("name", table.spec().title());
        if (!table.spec().of().isEmpty()) {
            node.put("of", table.spec().of());
        }
        ArrayNode keys = node.putArray("keys");
        table.spec().keys().forEach(keys::add);
        ArrayNode rows = node.putArray("rows");
        table.rows().forEach(row -> row(rows.addObject(), table, row));
        ObjectNode lost = node.putObject("lost");
        table.losses().forEach((reason, count) -> lost.put(reason.name(), count));
        node.put("open_calls", table.openCalls());
    }

    private static void row(ObjectNode node, HistogramTable table, HistogramTable.Row row) {
        key(node.putArray("key"), row.key());
        node.put("count", row.total());
        if (table.spec().of().isEmpty()) {
            return;
        }
        if (table.spec().bucketing().form().isOfSums()) {
            sums(node, row.sums());
            return;
        }
        ArrayNode buckets = node.putArray("buckets");
        row.countByBucket().forEach((bucket, count) -> {
            ObjectNode shown = buckets.addObject();
            bounds(shown, table.spec().bucketing().range(bucket));
            shown.put("count", count);
        });
    }

    private static void sums(ObjectNode node, ValueSums sums) {
        node.put("values", sums.count()).put("sum", sums.sum());
        if (sums.extremes().isAny()) {
            node.put("average", sums.average());
            node.put("min", sums.extremes().min()).put("max", sums.extremes().max());
        }
    }

    private static void stack(ArrayNode node, List<StackFunction> functions) {
        for (StackFunction function : functions) {
            ObjectNode shown = node.addObject();
            shown.put("symbol", function.name());
            shown.put("kind", function.kind().name().toLowerCase(Locale.ROOT));
            if (!function.file().isEmpty()) {
                shown.put("file", function.file());
            }
            if (function.line() > 0) {
                shown.put("line", function.line());
            }
        }
    }

    private static void key(ArrayNode node, List<KeyValue> key) {
        for (KeyValue value : key) {
            if (!value.isReadable()) {
                node.addNull();
            } else if (!value.stack().isEmpty()) {
                stack(node.addArray(), value.stack());
            } else if (value.type().isText()) {
                node.add(value.text());
            } else if (value.type().isSigned()) {
                node.add(value.number());
            } else {
                node.add(new BigInteger(Long.toUnsignedString(value.number())));
            }
        }
    }

    private static void bounds(ObjectNode node, BucketRange range) {
        switch (range.kind()) {
            case UNREADABLE -> node.put("unreadable", true);
            case EVERYTHING -> {}
            case BELOW -> node.put("to", range.upper());
            case ABOVE -> node.put("from", range.lower());
            case BETWEEN -> node.put("from", range.lower()).put("to", range.upper());
        }
    }
}
