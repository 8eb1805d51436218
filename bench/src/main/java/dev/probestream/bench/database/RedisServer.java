package dev.probestream.bench.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An empty Redis on a free port of loopback that keeps nothing. */
public final class RedisServer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/redis-server");

    private final ServerFolder folder;
    private final Process process;
    private final int port;

    private RedisServer(ServerFolder folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it and waits until it takes connections.
     *
     * @throws IOException when Redis is not installed or does not start
     */
    public static RedisServer start() throws IOException, InterruptedException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("Redis is not installed (" + PROGRAM + "): 'apt-get install redis-server'");
        }
        ServerFolder folder = ServerFolder.create();
        int port = ServerFolder.freePort();
        Process process = folder.start(
                PROGRAM.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.path().toString(),
                "--save",
                "",
                "--daemonize",
                "no");
        try {
            folder.awaitReady(process, "eady to accept connections");
        } catch (IOException | InterruptedException e) {
            folder.close();
            throw e;
        }
        return new RedisServer(folder, process, port);
    }

    /** For clients. */
    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        folder.close(process);
    }
}
