package dev.probestream.cli.hist;

import dev.probestream.cli.terminal.Quantity;
import dev.probestream.collector.histogram.HistogramSnapshot;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes the outputs of {@code hist}: on a terminal each replaces the previous one, elsewhere they are appended
 * with the time of day; or each is a line of JSON.
 */
final class HistOutput {
    private static final DateTimeFormatter TIME_OF_DAY = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String TOP_LEFT_AND_ERASE = "\u001b[H\u001b[J";

    private final PrintWriter out;
    private final boolean isTerminal;
    private final boolean isJson;
    private final boolean isCumulative;
    private final HistogramText text;
    private final HistogramJson json = new HistogramJson();
    private @Nullable HistogramSnapshot last;

    HistOutput(PrintWriter out, boolean isTerminal, boolean isJson, boolean isCumulative, HistogramText text) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.isJson = isJson;
        this.isCumulative = isCumulative;
        this.text = text;
    }

    /** Prints the counts since the previous output, or since the start. */
    void interval(HistogramSnapshot snapshot) {
        boolean isTotal = isCumulative || last == null;
        write(last == null || isCumulative ? snapshot : snapshot.since(last), isTotal);
        last = snapshot;
    }

    /** Prints the totals. */
    void total(HistogramSnapshot snapshot) {
        write(snapshot, true);
    }

    /** Whether the reader has closed the pipe. */
    boolean isGone() {
        return out.checkError();
    }

    private void write(HistogramSnapshot snapshot, boolean isTotal) {
        if (isJson) {
            out.println(json.line(snapshot, isTotal));
        } else {
            out.print(isTerminal ? TOP_LEFT_AND_ERASE : "");
            Duration span = Duration.ofNanos(snapshot.toNs() - snapshot.fromNs());
            out.println("[" + TIME_OF_DAY.format(LocalTime.now(ZoneId.systemDefault())) + "] "
                    + (isTotal ? "since the start, " : "the last ") + Quantity.seconds(span));
            text.draw(snapshot).forEach(out::println);
        }
        out.flush();
    }
}
