package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.WorkTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.tools.ProducerPerformance;

/** Kafka's own benchmark, {@code kafka-producer-perf-test.sh}, in this JVM. The rate is the one that it reports. */
final class ToolProducing implements ChildJvm.Work {
    /** {@code 1000000 records sent, 512345.6 records/sec (52.77 MB/sec), 1.2 ms avg latency, ...}, its last line. */
    private static final Pattern TOTAL = Pattern.compile("(\\d+) records sent, ([0-9.]+) records/sec .* 99th.*");

    private final List<String> arguments;

    private ToolProducing(String address, List<String> properties, String... record) {
        arguments = new ArrayList<>(List.of("--topic", KafkaTopic.NAME, "--throughput", "-1", "--producer-props"));
        arguments.add("bootstrap.servers=" + address);
        arguments.addAll(properties);
        arguments.addAll(Arrays.asList(record));
    }

    /** With Kafka's defaults, of which acks=all and idempotence are two. */
    static ToolProducing plain(String address) {
        return new ToolProducing(address, List.of(), "--record-size", Integer.toString(TypicalEvents.VALUE_BYTES));
    }

    static ToolProducing tuned(String address) {
        return new ToolProducing(
                address, tunedProperties(), "--record-size", Integer.toString(TypicalEvents.VALUE_BYTES));
    }

    /** The tool reads text: three quarters of each event, which are as many bytes in Base64 as the event has. */
    static ToolProducing fromFile(String address, Path file) throws IOException {
        StringBuilder text = new StringBuilder();
        for (byte[] value : TypicalEvents.values()) {
            byte[] part = Arrays.copyOfRange(value, value.length / 4, value.length);
            text.append(Base64.getEncoder().encodeToString(part)).append('\n');
        }
        Files.writeString(file, text);
        return new ToolProducing(address, tunedProperties(), "--payload-file", file.toString());
    }

    @Override
    public WorkTime turn(String recordCount) throws Exception {
        long records = Long.parseLong(recordCount);
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--num-records", Long.toString(records)));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream answers = System.out;
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        long startNs = CpuClock.processNs();
        try {
            ProducerPerformance.main(all.toArray(String[]::new));
        } finally {
            System.setOut(answers);
        }
        long cpuNs = CpuClock.processNs() - startNs;
        String text = said.toString(StandardCharsets.UTF_8);
        Matcher total = TOTAL.matcher(text);
        if (!total.find() || Long.parseLong(total.group(1)) != records) {
            throw new IOException("ProducerPerformance did not send " + records + " records; its output: " + text);
        }
        return new WorkTime(records, cpuNs, Math.round(records / Double.parseDouble(total.group(2)) * 1e9));
    }

    private static List<String> tunedProperties() {
        return KafkaTopic.OUR_PROPERTIES.entrySet().stream()
                .map(property -> property.getKey() + "=" + property.getValue())
                .sorted()
                .toList();
    }
}
