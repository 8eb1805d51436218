package dev.probestream.bench.database;

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

/**
 * The temporary folder of a database server, whose programs write into one log. Several servers refuse to run as root, so root starts
 * them as the user nobody.
 */
final class ServerFolder implements AutoCloseable {
    private static final int NOBODY = 65534;
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_EVERY_MS = 20;

    private final Folder folder;
    private final boolean isRoot = "root".equals(System.getProperty("user.name"));

    private ServerFolder(Folder folder) throws IOException {
        this.folder = folder;
        if (isRoot) {
            Files.setAttribute(folder.path(), "unix:uid", NOBODY);
        }
    }

    static ServerFolder create() throws IOException {
        return new ServerFolder(Folder.create());
    }

    Path path() {
        return folder.path();
    }

    /** Runs a program to its end, which must be a good one. */
    void run(String... command) throws IOException, InterruptedException {
        if (start(command).waitFor() != 0) {
            throw new IOException(command[0] + ": " + messages());
        }
    }

    Process start(String... command) throws IOException {
        List<String> whole = new ArrayList<>(isRoot ? AS_NOBODY : List.of());
        whole.addAll(List.of(command));
        return new ProcessBuilder(whole)
                .directory(new File("/"))
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    /** Waits until the server writes a text that it takes connections; fails if it ends before. */
    void awaitReady(Process server, String text) throws IOException, InterruptedException {
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        while (!messages().contains(text)) {
            if (server.waitFor(LOOK_EVERY_MS, TimeUnit.MILLISECONDS) || System.nanoTime() - giveUpNs > 0) {
                server.destroyForcibly();
                throw new IOException("wait for a database server to write '" + text + "': " + messages());
            }
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Ends the server by SIGTERM, then deletes its folder. */
    void close(Process server) throws IOException {
        server.destroy();
        server.onExit().orTimeout(PATIENCE_NS, TimeUnit.NANOSECONDS).join();
        close();
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }

    private Path log() {
        return path().resolve("log");
    }

    private String messages() throws IOException {
        return Files.exists(log()) ? new String(Files.readAllBytes(log()), StandardCharsets.UTF_8) : "";
    }
}
