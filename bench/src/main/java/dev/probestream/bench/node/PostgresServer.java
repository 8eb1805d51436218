package dev.probestream.bench.node;

import dev.probestream.bench.measure.Folder;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An empty PostgreSQL on a free port of loopback, in a temporary folder. PostgreSQL refuses to run as root, so root starts it
 * as the user nobody.
 */
final class PostgresServer implements AutoCloseable {
    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
    private static final int NOBODY = 65534;
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_EVERY_MS = 20;

    private final Folder folder;
    private final Process process;
    private final int port;

    private PostgresServer(Folder folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it and waits until it takes connections.
     *
     * @throws IOException when PostgreSQL is not installed or does not start
     */
    static PostgresServer start() throws IOException, InterruptedException {
        Path programs = programs();
        Folder folder = Folder.create();
        try {
            return start(programs, folder);
        } catch (IOException | InterruptedException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static PostgresServer start(Path programs, Folder folder) throws IOException, InterruptedException {
        boolean isRoot = "root".equals(System.getProperty("user.name"));
        if (isRoot) {
            Files.setAttribute(folder.path(), "unix:uid", NOBODY);
        }
        Path messages = folder.path().resolve("postgres.log");
        String data = folder.path().resolve("data").toString();
        Process initdb = start(
                isRoot,
                messages,
                programs.resolve("initdb").toString(),
                "-D",
                data,
                "-U",
                "bench",
                "-A",
                "trust",
                "-N");
        if (initdb.waitFor() != 0) {
            throw new IOException("initdb: " + Files.readString(messages));
        }
        int port = freePort();
        Process postgres = start(
                isRoot,
                messages,
                programs.resolve("postgres").toString(),
                "-D",
                data,
                "-p",
                Integer.toString(port),
                "--listen_addresses=127.0.0.1",
                "--unix_socket_directories=",
                "--fsync=off",
                "--jit=off");
        PostgresServer server = new PostgresServer(folder, postgres, port);
        server.awaitReady(messages);
        return server;
    }

    /** For clients. */
    String url() {
        return "postgres://bench@127.0.0.1:" + port + "/postgres";
    }

    private static Path programs() throws IOException {
        if (!Files.isDirectory(VERSIONS)) {
            throw new IOException(
                    "PostgreSQL is not installed: 'apt-get install postgresql', or leave out the server api");
        }
        try (Stream<Path> versions = Files.list(VERSIONS)) {
            return versions.max(Path::compareTo)
                    .map(version -> version.resolve("bin"))
                    .orElseThrow(() -> new IOException(VERSIONS + " is empty"));
        }
    }

    private static Process start(boolean isRoot, Path messages, String... command) throws IOException {
        List<String> whole = new ArrayList<>(isRoot ? AS_NOBODY : List.of());
        whole.addAll(List.of(command));
        return new ProcessBuilder(whole)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(messages.toFile()))
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitReady(Path messages) throws IOException, InterruptedException {
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        String said;
        do {
            said = Files.readString(messages, StandardCharsets.UTF_8);
            if (process.waitFor(LOOK_EVERY_MS, TimeUnit.MILLISECONDS) || System.nanoTime() - giveUpNs > 0) {
                process.destroyForcibly();
                throw new IOException("start PostgreSQL: " + said);
            }
        } while (!said.contains("ready to accept connections"));
    }

    /** Ends it; SIGTERM waits for its clients, which have to be closed before. */
    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit().orTimeout(PATIENCE_NS, TimeUnit.NANOSECONDS).join();
        folder.close();
    }
}
