package dev.probestream.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The sample Node server, {@code app.js}, running as a process of its own with its files in a temporary folder. It
 * listens on loopback and ends when it is closed, or with this JVM.
 */
public final class SampleServer implements AutoCloseable {
    private static final String SCRIPT = "app.js";
    private static final String LISTENING = "listening ";
    private static final long GRACE_SECONDS = 5;

    private final Process process;
    private final Path folder;
    private final URI address;

    private SampleServer(Process process, Path folder, URI address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
    }

    /**
     * Starts the server and waits until it listens.
     *
     * @throws IOException if it does not start; the message contains the output of Node
     */
    public static SampleServer start(NodeBinary node) throws IOException {
        Path folder = PrivateFiles.createTemporaryFolder("probestream-demo-");
        try {
            return start(node, folder);
        } catch (IOException e) {
            DemoTemporaryFolder.delete(folder);
            throw e;
        }
    }

    private static SampleServer start(NodeBinary node, Path folder) throws IOException {
        Path script = folder.resolve(SCRIPT);
        try (InputStream source = Objects.requireNonNull(SampleServer.class.getResourceAsStream(SCRIPT), SCRIPT)) {
            OutputStream copy = PrivateFiles.replaceAsStream(script);
            try (copy) {
                source.transferTo(copy);
            }
        }
        Path files = PrivateFiles.createFolders(folder.resolve("files"));
        Path errors = folder.resolve("errors.log");
        Process process = new ProcessBuilder(node.path().toString(), script.toString(), files.toString())
                .redirectError(errors.toFile())
                .start();
        // Left open: the server reads its standard input to detect the end of this JVM.
        BufferedReader output = process.inputReader();
        String line = output.readLine();
        if (line == null || !line.startsWith(LISTENING)) {
            process.destroyForcibly();
            throw new IOException("start the sample server with " + node.path() + ": it did not start; its output: "
                    + Files.readString(errors).lines().limit(5).reduce("", (all, next) -> all + "\n    " + next));
        }
        int port = Integer.parseInt(line.substring(LISTENING.length()));
        return new SampleServer(process, folder, URI.create("http://127.0.0.1:" + port + "/"));
    }

    /** The process id of the server. */
    public int pid() {
        return Math.toIntExact(process.pid());
    }

    /** The address of the server; request names are resolved against it. */
    public URI address() {
        return address;
    }

    /** The counts of the server so far. */
    public Counts counts() throws IOException {
        JsonNode counts = new ObjectMapper().readTree(SampleRequest.get(address.resolve("counts")));
        return new Counts(
                counts.get("requests").asLong(),
                counts.get("open").asLong(),
                counts.get("failedOpen").asLong());
    }

    /** Ends the server and removes its files. */
    @Override
    public void close() throws IOException {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } finally {
            DemoTemporaryFolder.delete(folder);
        }
    }

    /**
     * The counts of the sample server's handlers.
     *
     * @param requests requests that reached a handler, except the request for these counts
     * @param opens attempts to open a file
     * @param failedOpens failed attempts
     */
    public record Counts(long requests, long opens, long failedOpens) {}
}
