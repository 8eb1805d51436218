package dev.probestream.cli.metrics;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of metrics, read by the rules of the text format (version 0.0.4): HELP and TYPE before the samples of a metric,
 * one sample a line.
 */
public record ScrapedMetrics(Map<String, Double> samples, Map<String, String> types) {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final Pattern SAMPLE =
            Pattern.compile("(" + NAME + "(?:\\{(?:" + NAME + "=\"(?:[^\"\\\\]|\\\\.)*\",?)*})?) (\\S+)(?: -?\\d+)?");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE (" + NAME + ") (counter|gauge|histogram|summary|untyped)");

    /** Fetches and reads a page. */
    public static ScrapedMetrics of(String address) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(address + " answered " + response.statusCode() + ": " + response.body());
        }
        return parse(response.body());
    }

    static ScrapedMetrics parse(String page) throws IOException {
        Map<String, Double> samples = new TreeMap<>();
        Map<String, String> types = new TreeMap<>();
        for (String line : page.split("\n")) {
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (type.matches()) {
                types.put(type.group(1), type.group(2));
            } else if (sample.matches()) {
                samples.put(sample.group(1), Double.valueOf(sample.group(2)));
            } else if (!line.startsWith("# HELP ") && !line.isEmpty()) {
                throw new IOException("no line of the text format: " + line);
            }
        }
        return new ScrapedMetrics(samples, types);
    }

    /** The value of a sample, labels included in its name as they stand on the page. */
    public double value(String sample) {
        Double value = samples.get(sample);
        if (value == null) {
            throw new IllegalArgumentException("there is no " + sample + " among " + samples.keySet());
        }
        return value;
    }
}
