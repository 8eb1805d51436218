package dev.probestream.cli.hist;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.schema.record.LossReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Formats snapshots as text, in the style of bcc's argdist. */
final class HistogramText {
    private static final int BAR_WIDTH = 40;

    private final int top;

    /** @param top the number of keys shown for each table, those with the greatest counts; the others are summed */
    HistogramText(int top) {
        this.top = top;
    }

    /** The lines of all tables of a snapshot. */
    public List<String> draw(HistogramSnapshot snapshot) {
        List<String> lines = new ArrayList<>();
        for (HistogramTable table : snapshot.tables()) {
            lines.add(ValueText.escaped(table.spec().title()));
            if (table.rows().isEmpty()) {
                lines.add("    (no hits)");
            } else if (table.spec().bucketing().form() == Bucketing.Form.COUNT
                    || table.spec().bucketing().form().isOfSums()) {
                counts(lines, table);
            } else {
                histograms(lines, table);
            }
            table.losses()
                    .forEach((reason, count) ->
                            lines.add("    NOT COUNTED: " + count(count) + ", " + words(table, reason)));
            if (table.openCalls() > 0) {
                lines.add("    " + count(table.openCalls()) + " entered and not returned");
            }
        }
        return lines;
    }

    private void counts(List<String> lines, HistogramTable table) {
        List<HistogramTable.Row> shown =
                table.rows().subList(0, Math.min(top, table.rows().size()));
        long shownTotal = shown.stream().mapToLong(HistogramTable.Row::total).sum();
        NumberColumns columns = new NumberColumns(table, shown);
        lines.add(("    " + columns.header() + " " + keyNames(table)).stripTrailing());
        for (HistogramTable.Row row : shown) {
            lines.add(("    " + columns.of(row) + " " + key(table, row.key())).stripTrailing());
            stacks(lines, table, row.key());
        }
        others(lines, table, shown.size(), table.total() - shownTotal);
    }

    private void histograms(List<String> lines, HistogramTable table) {
        List<HistogramTable.Row> shown =
                table.rows().subList(0, Math.min(top, table.rows().size()));
        for (HistogramTable.Row row : shown) {
            if (!row.key().isEmpty()) {
                lines.add(("  " + key(table, row.key())).stripTrailing());
                stacks(lines, table, row.key());
            }
            histogram(lines, table, row);
        }
        long shownTotal = shown.stream().mapToLong(HistogramTable.Row::total).sum();
        others(lines, table, shown.size(), table.total() - shownTotal);
    }

    private static void others(List<String> lines, HistogramTable table, int shown, long hits) {
        int others = table.rows().size() - shown;
        if (others > 0) {
            lines.add("    others: " + count(hits) + (hits == 1 ? " hit of " : " hits of ") + count(others)
                    + (others == 1 ? " key" : " keys") + " (--top shows more)");
        }
    }

    private static void histogram(List<String> lines, HistogramTable table, HistogramTable.Row row) {
        BucketText text = new BucketText(table.spec());
        List<Integer> buckets = buckets(row);
        int labelWidth = Math.max(
                "value".length(),
                buckets.stream()
                        .mapToInt(bucket -> text.of(bucket).length())
                        .max()
                        .orElse(0));
        long most = Collections.max(row.countByBucket().values());
        int countWidth = Math.max("count".length(), count(most).length());
        String format = "    %" + labelWidth + "s : %-" + countWidth + "s %s";
        lines.add(String.format(Locale.ROOT, format, "value", "count", "distribution"));
        for (int bucket : buckets) {
            long count = row.countByBucket().getOrDefault(bucket, 0L);
            lines.add(String.format(Locale.ROOT, format, text.of(bucket), count(count), bar(count, most)));
        }
    }

    /** The buckets from the first to the last with hits, including empty ones; the unreadable bucket only if it has hits. */
    private static List<Integer> buckets(HistogramTable.Row row) {
        List<Integer> buckets = new ArrayList<>();
        List<Integer> numbered = new ArrayList<>(row.countByBucket().keySet());
        numbered.remove(Integer.valueOf(Bucketing.UNREADABLE));
        if (!numbered.isEmpty()) {
            for (int bucket = numbered.get(0); bucket <= numbered.get(numbered.size() - 1); bucket++) {
                buckets.add(bucket);
            }
        }
        if (row.countByBucket().containsKey(Bucketing.UNREADABLE)) {
            buckets.add(Bucketing.UNREADABLE);
        }
        return buckets;
    }

    private static String bar(long count, long most) {
        int stars = (int) Math.round((double) count * BAR_WIDTH / most);
        // A bucket with hits has at least one star.
        int shown = count > 0 ? Math.max(1, stars) : 0;
        return "|" + "*".repeat(shown) + " ".repeat(BAR_WIDTH - shown) + "|";
    }

    private static String keyNames(HistogramTable table) {
        return String.join(", ", table.spec().keys());
    }

    private static String key(HistogramTable table, List<KeyValue> key) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            if (!isStack(table, i)) {
                parts.add(table.spec().keys().get(i) + " = " + ValueText.of(key.get(i)));
            }
        }
        return String.join(", ", parts);
    }

    /** A whole stack is written below its row, the innermost function first. */
    private static void stacks(List<String> lines, HistogramTable table, List<KeyValue> key) {
        for (int i = 0; i < key.size(); i++) {
            if (isStack(table, i)) {
                key.get(i).stack().forEach(function -> lines.add("        " + ValueText.escaped(function.text())));
            }
        }
    }

    private static boolean isStack(HistogramTable table, int part) {
        String key = table.spec().keys().get(part);
        return table.spec().isStack(key) && !key.equals(HistogramSpec.FUNCTION);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String words(HistogramTable table, LossReason reason) {
        return switch (reason) {
            case RING_FULL ->
                table.spec().keys().stream().anyMatch(table.spec()::isStack)
                        ? "the kernel's table of keys or of stacks was full; use fewer keys, or a filter"
                        : "the kernel's table of keys was full; use fewer keys";
            case TOO_MANY_OPEN_SPANS -> "too many calls were open at once; use fewer probes";
            case RETURN_NOT_SEEN ->
                "the calls never returned (an exception, longjmp, the end of their thread) or were nested more than 64"
                        + " deep";
            case RECURSION -> "the kernel was running another probe on that cpu";
        };
    }
}
