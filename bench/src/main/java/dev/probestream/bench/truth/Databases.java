package dev.probestream.bench.truth;

import dev.probestream.bench.database.MariaDbServer;
import dev.probestream.bench.database.PostgresServer;
import dev.probestream.bench.database.RedisServer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The servers that applications ask. */
final class Databases implements AutoCloseable {
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final String urls;

    private Databases() throws IOException, InterruptedException {
        try {
            urls = String.format(
                    "\"postgres\":\"%s\",\"mysql\":\"%s\",\"redis\":\"%s\"",
                    opened(PostgresServer.start()).url(),
                    opened(MariaDbServer.start()).url(),
                    opened(RedisServer.start()).url());
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    static Databases start() throws IOException, InterruptedException {
        return new Databases();
    }

    /** All URLs as JSON for server.js. */
    String urls(String backendPort) {
        return "{" + urls + ",\"backend\":\"http://127.0.0.1:" + backendPort + "\"}";
    }

    private <T extends AutoCloseable> T opened(T server) {
        running.push(server);
        return server;
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            try {
                running.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("end a database server", e);
            }
        }
    }
}
