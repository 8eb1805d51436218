package dev.probestream.collector.internal.counter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long tasks of the machine, or of a control group, were held back as CPUs, memory or disks were too few
 * (Documentation/accounting/psi.rst): totals since boot, or since the group exists.
 */
final class Pressure {
    private Pressure() {}

    /**
     * The values of a probe of pressure, in the order of its arguments; what cannot be read is {@link CounterValues#UNKNOWN}.
     *
     * @param folder with the files
     * @param suffix of their names: "" in /proc/pressure, ".pressure" in a control group
     */
    static long[] read(Path folder, String suffix) {
        return new long[] {
            totalNs(folder.resolve("cpu" + suffix), "some"),
            totalNs(folder.resolve("memory" + suffix), "some"),
            totalNs(folder.resolve("memory" + suffix), "full"),
            totalNs(folder.resolve("io" + suffix), "some"),
            totalNs(folder.resolve("io" + suffix), "full")
        };
    }

    /** {@code some avg10=0.00 avg60=0.00 avg300=0.00 total=0}, in microseconds. */
    private static long totalNs(Path file, String line) {
        try {
            return Files.readString(file)
                    .lines()
                    .filter(each -> each.startsWith(line + " "))
                    .map(each -> Long.parseLong(each.substring(each.lastIndexOf('=') + 1)) * 1000)
                    .findFirst()
                    .orElse(CounterValues.UNKNOWN);
        } catch (IOException e) {
            return CounterValues.UNKNOWN; // a kernel without CONFIG_PSI, or with psi=0
        }
    }
}
