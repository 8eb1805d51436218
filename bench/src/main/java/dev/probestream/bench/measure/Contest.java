package dev.probestream.bench.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs contestants in turn, round by round in one JVM, so that other load affects all of them equally. */
public final class Contest {
    private final int warmUpRounds;
    private final int rounds;
    private final int batch;

    /**
     * A contestant.
     *
     * @param name of the row
     * @param work done once; returns something that depends on all of it, so that the JIT compiler cannot remove any of it
     */
    public record Contestant(String name, Work work) {}

    /** One piece of work. */
    @FunctionalInterface
    public interface Work {
        long run() throws Exception;
    }

    /**
     * @param warmUpRounds not counted
     * @param rounds counted
     * @param batch repetitions per round
     */
    public Contest(int warmUpRounds, int rounds, int batch) {
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.batch = batch;
    }

    /** CPU nanoseconds per piece of work, a sample a round, by name. */
    public Map<String, Samples> run(List<Contestant> contestants) throws Exception {
        Map<String, Samples> results = new LinkedHashMap<>();
        contestants.forEach(contestant -> results.put(contestant.name(), new Samples()));
        long checksum = 0;
        for (int round = 0; round < warmUpRounds + rounds; round++) {
            for (Contestant contestant : contestants) {
                Work work = contestant.work();
                long startNs = CpuClock.nowNs();
                for (int i = 0; i < batch; i++) {
                    checksum += work.run();
                }
                long tookNs = CpuClock.nowNs() - startNs;
                Samples samples = results.get(contestant.name());
                if (round >= warmUpRounds && samples != null) {
                    samples.add((double) tookNs / batch);
                }
            }
        }
        if (checksum == 42) {
            System.out.print(" "); // so that the work has a result
        }
        return results;
    }
}
