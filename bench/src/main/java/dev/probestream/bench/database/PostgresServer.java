package dev.probestream.bench.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** An empty PostgreSQL on a free port of loopback, in a temporary folder. */
public final class PostgresServer implements AutoCloseable {
    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");

    private final ServerFolder folder;
    private final Process process;
    private final int port;

    private PostgresServer(ServerFolder folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it and waits until it takes connections.
     *
     * @throws IOException when PostgreSQL is not installed or does not start
     */
    public static PostgresServer start() throws IOException, InterruptedException {
        Path programs = programs();
        ServerFolder folder = ServerFolder.create();
        try {
            return start(programs, folder);
        } catch (IOException | InterruptedException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static PostgresServer start(Path programs, ServerFolder folder) throws IOException, InterruptedException {
        String data = folder.path().resolve("data").toString();
        folder.run(programs.resolve("initdb").toString(), "-D", data, "-U", "bench", "-A", "trust", "-N");
        int port = ServerFolder.freePort();
        Process postgres = folder.start(
                programs.resolve("postgres").toString(),
                "-D",
                data,
                "-p",
                Integer.toString(port),
                "--listen_addresses=127.0.0.1",
                "--unix_socket_directories=",
                "--fsync=off",
                "--jit=off");
        folder.awaitReady(postgres, "ready to accept connections");
        return new PostgresServer(folder, postgres, port);
    }

    /** For clients. */
    public String url() {
        return "postgres://bench@127.0.0.1:" + port + "/postgres";
    }

    private static Path programs() throws IOException {
        if (!Files.isDirectory(VERSIONS)) {
            throw new IOException(
                    "PostgreSQL is not installed: 'apt-get install postgresql', or leave out what needs it");
        }
        try (Stream<Path> versions = Files.list(VERSIONS)) {
            return versions.max(Path::compareTo)
                    .map(version -> version.resolve("bin"))
                    .orElseThrow(() -> new IOException(VERSIONS + " is empty"));
        }
    }

    /** Ends it; SIGTERM waits for its clients, which have to be closed before. */
    @Override
    public void close() throws IOException {
        folder.close(process);
    }
}
