package dev.probestream.bench;

/**
 * What one piece of work took in a JVM of its own.
 *
 * @param events done
 * @param cpuNs of all threads of that JVM
 * @param wallNs from the first event to the last
 */
record Turn(long events, long cpuNs, long wallNs) {
    /** As {@link #toString} wrote it. */
    static Turn parse(String line) {
        String[] numbers = line.split(" ");
        return new Turn(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }

    double cpuNsPerEvent() {
        return (double) cpuNs / events;
    }

    double millionsPerSecond() {
        return events * 1e3 / wallNs;
    }

    @Override
    public String toString() {
        return events + " " + cpuNs + " " + wallNs;
    }
}
