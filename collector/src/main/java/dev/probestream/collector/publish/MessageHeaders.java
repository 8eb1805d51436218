package dev.probestream.collector.publish;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Makes headers that many Kafka records share. */
final class MessageHeaders {
    private MessageHeaders() {}

    /** The headers in the order of the map. */
    static List<Header> of(Map<String, String> texts) {
        return texts.entrySet().stream()
                .<Header>map(
                        text -> new RecordHeader(text.getKey(), text.getValue().getBytes(StandardCharsets.UTF_8)))
                .toList();
    }
}
