package dev.probestream.bench.database;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The servers that applications ask. */
public final class Databases implements AutoCloseable {
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

    /**
     * Starts PostgreSQL, MariaDB and Redis.
     *
     * @throws IOException when one is not installed or does not start
     */
    public static Databases start() throws IOException, InterruptedException {
        return new Databases();
    }

    /** The URLs as JSON: postgres, mysql, redis, and as backend a server on that port of loopback. */
    public String urls(String backendPort) {
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
