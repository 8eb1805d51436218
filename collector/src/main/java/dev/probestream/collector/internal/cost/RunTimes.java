package dev.probestream.collector.internal.cost;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The time of a run, of the latest samples. The samples are short: a thread that is preempted in a program (uprobe programs can
 * be) makes one of them useless, and the median over the runs leaves it out. Not thread-safe.
 */
final class RunTimes {
    private static final int SAMPLES = 64;

    /**
     * Runs for processes that are not traced, for each that is. Beyond, the difference between the measured and the assumed price of a
     * rejection is more than what the own run takes: a machine that makes a million system calls a second beside a hundred hits.
     */
    private static final long MAX_REJECTED = 20;

    private final Sample[] samples = new Sample[SAMPLES];
    private int count;
    private long ownRuns;
    private @Nullable TrapPrices medianOf;
    private double medianNs;

    private record Sample(long runs, long ownRuns, long timeNs) {
        double ownNs(TrapPrices prices) {
            double net = timeNs - runs * prices.statisticsNs() - (runs - ownRuns) * prices.rejectedNs();
            return Math.max(0, net) / ownRuns;
        }
    }

    /**
     * Adds a sample, unless nearly all runs were for other processes.
     *
     * @param runs of the program, for any process
     * @param hits by traced processes meanwhile
     * @param timeNs of all runs
     */
    void add(long runs, long hits, long timeNs) {
        long own = Math.min(runs, hits);
        if (own > 0 && runs - own <= MAX_REJECTED * own) {
            Sample replaced = samples[count % SAMPLES];
            ownRuns += own - (replaced == null ? 0 : replaced.ownRuns);
            samples[count++ % SAMPLES] = new Sample(runs, own, timeNs);
            medianOf = null;
        }
    }

    /** How many runs for traced processes are in the samples. */
    long ownRuns() {
        return ownRuns;
    }

    /** The median time of a run for a traced process; 0 without samples. */
    double ownNs(TrapPrices prices) {
        if (!prices.equals(medianOf)) {
            medianOf = prices;
            medianNs = median(prices);
        }
        return medianNs;
    }

    private double median(TrapPrices prices) {
        Sample[] sorted = Arrays.copyOf(samples, Math.min(count, SAMPLES));
        Arrays.sort(sorted, Comparator.comparingDouble(sample -> sample.ownNs(prices)));
        long before = 0;
        for (Sample sample : sorted) {
            before += sample.ownRuns;
            if (2 * before >= ownRuns) {
                return sample.ownNs(prices);
            }
        }
        return 0;
    }
}
