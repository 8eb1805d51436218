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
 * Serves one file on 127.0.0.1 to one web application. Its address holds a secret, so that other users of the machine do not
 * find it; a page of any other origin is refused, whatever address it knows.
 */
final class TraceServer implements AutoCloseable {
    /** The only port of loopback that Perfetto's UI may read from (its content security policy). */
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
     * @param port 0 = any that is free
     * @param viewer the origin that may read the file, for example {@code https://ui.perfetto.dev}
     * @throws java.net.BindException if somebody else has the port
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

    /** The port that it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Where the file is. */
    public URI fileAddress() {
        return URI.create("http://127.0.0.1:" + port() + trace.filePath());
    }

    /**
     * What a person opens: the viewer itself, told where the file is; of another port than {@link #PERFETTO_PORT}, which the
     * viewer may not read from, a page of ours that hands the file over.
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
     * @param isOnce or until the file was sent whole, once
     */
    public void await(boolean isOnce) throws InterruptedException {
        (isOnce ? endedOrSent : ended).await();
    }

    /** Lets {@link #await} return. */
    public void end() {
        ended.countDown();
        endedOrSent.countDown();
    }

    /** Ends at once; an answer that is being sent is cut off. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
