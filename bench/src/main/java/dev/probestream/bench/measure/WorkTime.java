package dev.probestream.bench.measure;

/**
 * The time of one piece of work in a child JVM.
 *
 * @param events done
 * @param cpuNs of all threads of that JVM
 * @param wallNs from the first event to the last
 */
public record WorkTime(long events, long cpuNs, long wallNs) {
    /** As {@link #toString} wrote it. */
    public static WorkTime parse(String line) {
        String[] numbers = line.split(" ");
        return new WorkTime(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }

    public double cpuNsPerEvent() {
        return (double) cpuNs / events;
    }

    public double millionsPerSecond() {
        return events * 1e3 / wallNs;
    }

    @Override
    public String toString() {
        return events + " " + cpuNs + " " + wallNs;
    }
}
