package dev.probestream.cli.nodetrace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.machine.ProcessSignal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The inspector of one Node process. If it is not open, it is opened with SIGUSR1, as Node documents, and closed by
 * {@link #close}. While it is open, every local user can run code in the process; it is opened only on request.
 */
final class Inspector implements AutoCloseable {
    private static final int SIGUSR1 = 10; // signal(7), x86-64 and arm64
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(10);
    private static final long POLL_MS = 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final int pid;
    private final int port;
    private final boolean isOpenedByUs;

    /** Not HTTP/2: Node takes the upgrade request for one to open a WebSocket. */
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(OPEN_TIMEOUT)
            .build();

    private @Nullable InspectorSession session;

    private Inspector(int pid, int port, boolean isOpenedByUs) {
        this.pid = pid;
        this.port = port;
        this.isOpenedByUs = isOpenedByUs;
    }

    /**
     * Opens the inspector if it is not open.
     *
     * @throws NodeTraceException if the process is not Node, or does not open its inspector
     */
    static Inspector of(int pid) throws IOException {
        NodeProcess.check(pid);
        int port = NodeProcess.inspectorPort(pid);
        Set<Integer> before = ListeningSockets.ports(pid);
        if (before.contains(port)) {
            return new Inspector(pid, port, false);
        }
        if (port != NodeProcess.ANY_PORT && ListeningSockets.isTaken(pid, port)) {
            throw new NodeTraceException(
                    "cannot open the inspector of process " + pid + ": port " + port
                            + " is in use by another process; end that process, or start this one with --inspect-port=PORT",
                    null);
        }
        ProcessSignal.send(pid, SIGUSR1, "ask process " + pid + " to open its inspector");
        return new Inspector(pid, await(pid, port, before), true);
    }

    /** The port of the inspector: the configured one, or a new one. */
    private static int await(int pid, int port, Set<Integer> before) throws IOException {
        long deadlineNs = System.nanoTime() + OPEN_TIMEOUT.toNanos();
        while (true) {
            Set<Integer> opened = ListeningSockets.ports(pid);
            opened.removeAll(before);
            if (port == NodeProcess.ANY_PORT ? opened.size() == 1 : opened.contains(port)) {
                return opened.contains(port) ? port : opened.iterator().next();
            }
            if (System.nanoTime() > deadlineNs) {
                throw new NodeTraceException(
                        "cannot open the inspector of process " + pid
                                + ": SIGUSR1 was sent, but the process does not listen on "
                                + (port == NodeProcess.ANY_PORT ? "a new port" : "port " + port) + " after "
                                + OPEN_TIMEOUT.toSeconds()
                                + " s; its event loop may be blocked, or it handles SIGUSR1 itself",
                        null);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new NodeTraceException("interrupted while the inspector of process " + pid + " opens", e);
            }
        }
    }

    int port() {
        return port;
    }

    boolean isOpenedByUs() {
        return isOpenedByUs;
    }

    /** Opens the session; {@link #close} closes it. */
    InspectorSession connect() throws IOException {
        InspectorSession connected = InspectorSession.open(client, pid, webSocket());
        session = connected;
        return connected;
    }

    private URI webSocket() throws IOException {
        URI list = URI.create("http://127.0.0.1:" + port + "/json/list");
        try {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(list).timeout(OPEN_TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
            JsonNode url = JSON.readTree(answer.body()).path(0).path("webSocketDebuggerUrl");
            if (!url.isTextual()) {
                throw new NodeTraceException(
                        "cannot talk to the inspector of process " + pid + ": " + list + " lists no session", null);
            }
            return URI.create(url.textValue());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NodeTraceException("interrupted while talking to the inspector of process " + pid, e);
        } catch (NodeTraceException e) {
            throw e;
        } catch (IOException e) {
            throw new NodeTraceException(
                    "cannot talk to the inspector of process " + pid + " at " + list + ": " + e.getMessage(), e);
        }
    }

    /** Closes the session, and the inspector if it was opened by this class. */
    @Override
    public void close() throws IOException {
        InspectorSession open = session;
        if (isOpenedByUs && open == null) {
            open = connect();
        }
        session = null;
        if (open == null) {
            return;
        }
        try {
            if (isOpenedByUs && !open.isClosed()) {
                // Node closes the inspector after its sessions have ended, and responds before.
                open.sendWithoutAnswer(
                        "Runtime.evaluate",
                        Map.of("expression", "require('inspector').close()", "includeCommandLineAPI", true));
            }
        } finally {
            open.close();
        }
    }
}
