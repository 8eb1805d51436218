package dev.probestream.collector.dialect;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.LineSyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Parses what {@code hist} counts: a probe spec, the attach point of a bcc tool, or a bpftrace program that counts. */
public final class HistogramLine {
    private HistogramLine() {}

    /**
     * {@return the counts and histograms of a line} The options are as of {@link HistogramSpec#of}.
     *
     * @param line a spec, or a line of bcc or bpftrace
     * @param of the value's name, if the option was given
     * @param by the keys' names; may be empty
     * @param form of the buckets, if the option was given
     * @throws LineSyntaxException if the line is malformed or not supported
     * @throws HistogramException if the options do not fit the line
     * @throws dev.probestream.collector.probe.SpecSyntaxException if the line is a malformed probe spec
     */
    public static List<HistogramSpec> parse(
            String line, Optional<String> of, List<String> by, Optional<Bucketing> form) {
        if (Dialect.of(line) != Dialect.BPFTRACE) {
            return TraceLine.probes(line, "hist").stream()
                    .map(probe -> HistogramSpec.of(probe, of, by, form))
                    .toList();
        }
        if (of.isPresent() || !by.isEmpty() || form.isPresent()) {
            throw new HistogramException(
                    "--of, --by, --count and --linear do not go with a bpftrace program, which has its own keys and"
                            + " values: " + line);
        }
        return new BpftraceProgram<>(line, new BpftraceAggregation())
                .parse().stream().flatMap(List::stream).toList();
    }

    /**
     * {@return the time after which a bpftrace program ends itself; empty for other lines}
     *
     * @param line as of {@link #parse}
     */
    public static Optional<Duration> limit(String line) {
        if (Dialect.of(line) != Dialect.BPFTRACE) {
            return Optional.empty();
        }
        BpftraceProgram<List<HistogramSpec>> program = new BpftraceProgram<>(line, new BpftraceAggregation());
        program.parse();
        return program.limit();
    }
}
