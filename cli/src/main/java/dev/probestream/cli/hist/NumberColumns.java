package dev.probestream.cli.hist;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.HistogramTable.Row;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The columns of numbers before a key: its count, or what its values add up to. */
final class NumberColumns {
    private static final int LEAST_WIDTH = 10;

    private final Bucketing.Form form;
    private final int[] widths;

    NumberColumns(HistogramTable table, List<Row> rows) {
        this.form = table.spec().bucketing().form();
        List<String> names = names();
        this.widths = new int[names.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = rows.stream()
                    .mapToInt(row -> numbers(row).get(column).length())
                    .reduce(Math.max(LEAST_WIDTH, names.get(i).length()), Math::max);
        }
        if (form == Bucketing.Form.COUNT) {
            widths[0] = Math.max(
                    LEAST_WIDTH, text(BigInteger.valueOf(table.total())).length());
        }
    }

    String header() {
        return padded(names());
    }

    String of(Row row) {
        return padded(numbers(row));
    }

    private String padded(List<String> columns) {
        List<String> padded = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            padded.add(columns.get(i) + " ".repeat(widths[i] - columns.get(i).length()));
        }
        return String.join(" ", padded);
    }

    private List<String> names() {
        return switch (form) {
            case COUNT, LOG2, LINEAR -> List.of("COUNT");
            case SUM -> List.of("SUM");
            case AVG -> List.of("AVERAGE");
            case MIN -> List.of("MIN");
            case MAX -> List.of("MAX");
            case STATS -> List.of("COUNT", "AVERAGE", "SUM", "MIN", "MAX");
        };
    }

    private List<String> numbers(Row row) {
        return numbers(row, form).stream().map(NumberColumns::text).toList();
    }

    private static List<BigInteger> numbers(Row row, Bucketing.Form form) {
        return switch (form) {
            case COUNT, LOG2, LINEAR -> List.of(BigInteger.valueOf(row.total()));
            case SUM -> List.of(row.sums().sum());
            case AVG -> List.of(row.sums().average());
            case MIN -> List.of(row.sums().extremes().min());
            case MAX -> List.of(row.sums().extremes().max());
            case STATS ->
                List.of(
                        BigInteger.valueOf(row.total()),
                        row.sums().average(),
                        row.sums().sum(),
                        row.sums().extremes().min(),
                        row.sums().extremes().max());
        };
    }

    private static String text(BigInteger number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
