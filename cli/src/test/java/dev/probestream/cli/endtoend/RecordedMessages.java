package dev.probestream.cli.endtoend;

import dev.probestream.cli.endtoend.RecordedFile.RecordedEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The HTTP messages of a recording of node-http, put together by nothing but the pointers in its events. */
final class RecordedMessages {
    private final List<String> requests = new ArrayList<>();
    private final List<String> upgrades = new ArrayList<>();
    private final List<Integer> statuses = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private int ended;

    RecordedMessages(RecordedFile recorded) {
        Map<Object, StringBuilder> urls = new HashMap<>();
        recorded.events().stream()
                .sorted(Comparator.comparingLong(RecordedEvent::timestampNs))
                .forEach(event -> take(event, urls));
    }

    private void take(RecordedEvent event, Map<Object, StringBuilder> urls) {
        switch (event.probe().getRole().toString()) {
            case "http.begin" -> urls.put(event.argument("parser"), new StringBuilder());
            case "http.url" ->
                urls.computeIfAbsent(event.argument("parser"), parser -> new StringBuilder())
                        .append(event.argument("url"));
            case "http.headers" -> headers(event, urls);
            case "http.end" -> ended++;
            case "http.line", "stream.write" -> {
                String line = String.valueOf(event.arguments().get("line"));
                if (!line.isEmpty()) {
                    lines.add(line);
                }
            }
            default -> {}
        }
    }

    private void headers(RecordedEvent event, Map<Object, StringBuilder> urls) {
        if (event.argument("type").equals(2L)) {
            statuses.add(((Long) event.argument("status")).intValue());
            return;
        }
        String request = event.label("method") + " " + urls.get(event.argument("parser"));
        requests.add(request);
        if (event.argument("upgrade").equals(1L)) {
            upgrades.add(request);
        }
    }

    /** "GET /a?b=***": what the parser found in requests, in the order of their headers. */
    List<String> requests() {
        return requests;
    }

    /** Those among them that asked for another protocol. */
    List<String> upgrades() {
        return upgrades;
    }

    /** The statuses of answers that were read, in order. */
    List<Integer> statusesRead() {
        return statuses;
    }

    /** The statuses of answers that were written, in order. */
    List<Integer> statusesWritten() {
        return lines.stream()
                .filter(line -> line.startsWith("HTTP/1."))
                .map(line -> Integer.parseInt(line.substring(9, 12)))
                .toList();
    }

    /** "GET /a?b=***": requests that were written, in order. */
    List<String> requestsWritten() {
        return lines.stream()
                .filter(line -> line.endsWith(" HTTP/1.1"))
                .map(line -> line.substring(0, line.length() - " HTTP/1.1".length()))
                .toList();
    }

    /** How many messages were read to their end. */
    int ended() {
        return ended;
    }
}
