package dev.probestream.query.report;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A plot, a table or a text; the page draws it. In JSON {@code kind} is its type. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ReportPart.Series.class, name = "series"),
    @JsonSubTypes.Type(value = ReportPart.Histogram.class, name = "histogram"),
    @JsonSubTypes.Type(value = ReportPart.Bars.class, name = "bars"),
    @JsonSubTypes.Type(value = ReportPart.Table.class, name = "table"),
    @JsonSubTypes.Type(value = ReportPart.Flame.class, name = "flame"),
    @JsonSubTypes.Type(value = ReportPart.Words.class, name = "words")
})
public sealed interface ReportPart {
    String title();

    /**
     * Values over time.
     *
     * @param unit of the first axis: "ms", "requests/s", "bytes" ...
     * @param timeMs Unix time in milliseconds, ascending, common to all lines
     */
    record Series(String title, String unit, List<Double> timeMs, List<Line> lines) implements ReportPart {}

    /**
     * One line of a plot.
     *
     * @param values one for each moment; null = none
     * @param shape LINE, AREA (stacked with the other areas) or POINTS
     */
    record Line(String name, Shape shape, List<@Nullable Double> values) {}

    /** How a line is drawn. */
    enum Shape {
        LINE,
        AREA,
        POINTS
    }

    /**
     * A distribution; edges grow by equal factors, drawn on a logarithmic axis.
     *
     * @param edges one more than counts
     * @param marks values to be marked: p50, p99 ...
     */
    record Histogram(String title, String unit, List<Double> edges, List<Long> counts, List<Mark> marks)
            implements ReportPart {}

    /** A named value on an axis. */
    record Mark(String name, double value) {}

    /**
     * Horizontal bars, a stack of parts each: for example slow requests and their time split.
     *
     * @param labels one for each bar, the uppermost first
     */
    record Bars(String title, String unit, List<String> labels, List<Stacked> stacks) implements ReportPart {}

    /** One part of all bars. */
    record Stacked(String name, List<Double> values) {}

    /**
     * A table.
     *
     * @param rows cells are a text, a {@link ShortText}, a number (shown with the column's unit) or null
     */
    record Table(String title, List<Column> columns, List<List<@Nullable Object>> rows) implements ReportPart {}

    /** The cell of a table that shows {@code text}, and all of the name when it is pointed at. */
    record ShortText(String text, String full) {}

    /**
     * A column of a table.
     *
     * @param unit "" = none; "ms" and "bytes" are shown in fitting multiples
     * @param isNumber right-aligned
     */
    record Column(String name, String unit, boolean isNumber) {}

    /**
     * A flame graph: the root first, callers above what they call.
     *
     * @param unit of the values: "samples" or "ms"
     */
    record Flame(String title, String unit, Node root) implements ReportPart {}

    /**
     * A function in a flame graph.
     *
     * @param full the name in full; "" if it is {@code name}
     * @param value its own and its children's
     * @param type js, native, kernel or other
     * @param file "" = unknown
     * @param line where the function begins; 0 = unknown
     * @param source the line in what the file was made from, {@code app.ts:33}, in which most of the value is; "" = unknown
     */
    record Node(
            String name,
            String full,
            double value,
            String type,
            String file,
            int line,
            String source,
            List<Node> children) {}

    /** A text instead of a plot, for example if nothing was recorded. */
    record Words(String title, String text) implements ReportPart {}
}
