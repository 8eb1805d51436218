package dev.probestream.cli.open;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves one file on 127.0.0.1 to one web application. Its address contains a secret, so that other users of the machine cannot
 * find it; pages of other origins are refused even if they know the address.
 */
final class TraceServer implements AutoCloseable {
    /** The only loopback port from which Perfetto's UI may read (its content security policy). */
    public static final int PERFETTO_PORT = 9001;

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int THREADS = 2;
    private static final int SECRET_BYTES = 16;

    private final HttpServer server;
    private final ExecutorService threads;
    private final ServedTrace trace;
    private final String viewer;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch endedOrSent = new CountDownLatch(1);

    private TraceServer(HttpServer server, ServedTrace trace, String viewer) {
        this.server = server;
        this.trace = trace;
        this.viewer = viewer;
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "trace server");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Serves until closed.
     *
     * @param port 0 = any free port
     * @param viewer the origin that may read the file, for example {@code https://ui.perfetto.dev}
     * @throws java.net.BindException if the port is in use
     */
    public static TraceServer start(Path file, int port, String viewer) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
        ServedTrace trace = ServedTrace.of(file, secret());
        TraceServer server = new TraceServer(http, trace, viewer);
        http.createContext("/", new TraceHandler(trace, viewer, secret(), server.endedOrSent::countDown));
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    private static String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** The port of the server. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** The address of the file. */
    public URI fileAddress() {
        return URI.create("http://127.0.0.1:" + port() + trace.filePath());
    }

    /**
     * The address to open: the viewer with the address of the file; with another port than {@link #PERFETTO_PORT}, from
     * which the viewer may not read, a local page that passes the file to the viewer.
     */
    public URI address() {
        return URI.create(
                port() == PERFETTO_PORT
                        ? viewer + "/#!/?url=" + fileAddress()
                        : "http://127.0.0.1:" + port() + trace.pagePath());
    }

    /**
     * Waits until {@link #end} is called.
     *
     * @param isOnce or until the complete file was sent once
     */
    public void await(boolean isOnce) throws InterruptedException {
        (isOnce ? endedOrSent : ended).await();
    }

    /** Makes {@link #await} return. */
    public void end() {
        ended.countDown();
        endedOrSent.countDown();
    }

    /** Stops at once; a response in progress is cut off. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
