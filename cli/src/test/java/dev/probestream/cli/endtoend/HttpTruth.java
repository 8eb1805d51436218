package dev.probestream.cli.endtoend;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;

/**
 * What the fixture http.js says of its own exchanges.
 *
 * @param served the requests as its server saw them, in order
 * @param sent those of its clients, but for what they write to a socket by themselves
 * @param peers the other ends of the connections that its server accepted, "127.0.0.1:4711"
 * @param port the server's
 * @param socketPath of its server on a unix socket
 */
record HttpTruth(List<Exchange> served, List<Exchange> sent, List<String> peers, int port, String socketPath) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * A request and its answer.
     *
     * @param status 0 = there was none
     */
    record Exchange(String method, String url, int status) {
        Exchange {
            if (method.isEmpty() || url.isEmpty()) {
                throw new IllegalArgumentException("an exchange without method or URL");
            }
        }

        /** Method and URL as they are recorded: without the values of the query. */
        String masked() {
            return method + " " + url.replaceAll("=[^&]*", "=***");
        }

        /** Method and URL as they are. */
        String plain() {
            return method + " " + url;
        }
    }

    /** Lists of method, URL and status. */
    private record Lines(
            List<List<String>> served, List<List<String>> sent, List<String> peers, int port, String socketPath) {}

    static HttpTruth of(String json) throws IOException {
        Lines lines = JSON.readValue(json, Lines.class);
        return new HttpTruth(exchanges(lines.served), exchanges(lines.sent), lines.peers, lines.port, lines.socketPath);
    }

    private static List<Exchange> exchanges(List<List<String>> lines) {
        return lines.stream()
                .map(line -> new Exchange(line.get(0), line.get(1), Integer.parseInt(line.get(2))))
                .toList();
    }
}
