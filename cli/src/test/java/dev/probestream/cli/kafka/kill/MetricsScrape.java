package dev.probestream.cli.kafka.kill;

import java.util.List;

/** A scrape in Prometheus' text form, read without its client. */
record MetricsScrape(String text) {

    /** The sum over all labels; 0 when there is none of that name. */
    double sum(String name) {
        return values(name).stream().mapToDouble(Double::doubleValue).sum();
    }

    /** One value for every combination of labels. */
    List<Double> values(String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
    }
}
