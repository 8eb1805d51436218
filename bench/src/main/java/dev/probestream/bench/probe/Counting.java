package dev.probestream.bench.probe;

import dev.probestream.collector.Histograms;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A probe of the target that is counted in the kernel, as {@code probestream hist} does it. */
final class Counting implements AutoCloseable {
    private final Histograms histograms;

    private Counting(Histograms histograms) {
        this.histograms = histograms;
    }

    /**
     * Starts to count by all arguments of a spec.
     *
     * @param spec of a probe of the target
     */
    static Counting byArguments(TargetProgram target, String spec) throws IOException {
        return start(
                target,
                HistogramSpec.of(SpecParser.parse(spec), Optional.empty(), List.of(), Optional.of(Bucketing.COUNT)));
    }

    /** Starts a histogram in powers of two of the only argument of a spec, or of the duration of a span. */
    static Counting log2(TargetProgram target, String spec) throws IOException {
        return start(
                target,
                HistogramSpec.of(SpecParser.parse(spec), Optional.empty(), List.of(), Optional.of(Bucketing.LOG2)));
    }

    private static Counting start(TargetProgram target, HistogramSpec spec) throws IOException {
        try {
            Histograms histograms =
                    Histograms.open(new HistogramRequest(TargetSelection.ofPids(List.of(target.pid())), List.of(spec)));
            Counting counting = new Counting(histograms);
            histograms.attach();
            return counting;
        } catch (ResolveException e) {
            throw new IOException("count at " + spec.probe().text(), e);
        }
    }

    /** Ends it and gives what was counted. */
    HistogramTable finish() {
        histograms.detach();
        return histograms.snapshot().tables().get(0);
    }

    @Override
    public void close() {
        histograms.close();
    }
}
