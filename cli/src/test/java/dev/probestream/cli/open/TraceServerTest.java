package dev.probestream.cli.open;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read the trace. The requests are written by hand: an HTTP client would not lie about its host. */
class TraceServerTest {
    private static final String VIEWER = "https://ui.perfetto.dev";
    private static final String CONTENT = "not really a trace";

    @TempDir
    private Path folder;

    private Path file = Path.of("");
    private TraceServer server;

    @BeforeEach
    void start() throws IOException {
        file = Files.writeString(folder.resolve("a b'\"<trace>.pftrace"), CONTENT);
        server = TraceServer.start(file, 0, VIEWER);
    }

    @AfterEach
    void end() {
        server.close();
    }

    @Test
    void theViewerReadsTheTrace() throws Exception {
        assertThat(ask("GET", path(), "Origin: " + VIEWER))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Access-Control-Allow-Origin: " + VIEWER + "\r\n")
                .containsIgnoringCase("Content-Type: application/octet-stream\r\n")
                .containsIgnoringCase("Content-Length: " + CONTENT.length() + "\r\n")
                .endsWith("\r\n\r\n" + CONTENT);
    }

    @Test
    void itsHeadHasNoBody() throws Exception {
        assertThat(ask("HEAD", path(), "Origin: " + VIEWER))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Content-Length: " + CONTENT.length() + "\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void theViewerMayAskBeforehand() throws Exception {
        assertThat(ask(
                        "OPTIONS",
                        path(),
                        "Origin: " + VIEWER,
                        "Access-Control-Request-Method: GET",
                        "Access-Control-Request-Private-Network: true"))
                .startsWith("HTTP/1.1 204 ")
                .containsIgnoringCase("Access-Control-Allow-Origin: " + VIEWER + "\r\n")
                .containsIgnoringCase("Access-Control-Allow-Private-Network: true\r\n")
                .containsIgnoringCase("Access-Control-Allow-Methods: GET, HEAD\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "http://ui.perfetto.dev",
                "https://ui.perfetto.dev.evil.example",
                "https://ui.perfetto.dev:8443",
                "http://127.0.0.1:1",
                "null",
                ""
            })
    void pagesOfOtherOriginsAreRefused(String origin) throws Exception {
        for (String method : new String[] {"GET", "HEAD", "OPTIONS"}) {
            assertThat(ask(method, path(), "Origin: " + origin))
                    .startsWith("HTTP/1.1 403 ")
                    .doesNotContainIgnoringCase("Access-Control-Allow")
                    .doesNotContain(CONTENT);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:9001",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "[::2]",
                ""
            })
    void aForeignNameForLoopbackIsRefused(String host) throws Exception {
        assertThat(send("GET " + path() + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .doesNotContain(CONTENT);
    }

    @Test
    void withoutAPageNobodyIsRefusedWhoKnowsTheAddress() throws Exception {
        assertThat(ask("GET", path())).startsWith("HTTP/1.1 200 ").endsWith(CONTENT);
    }

    @Test
    void nothingElseIsServed() throws Exception {
        String secret = path().substring(1, path().indexOf('/', 1));
        for (String path : new String[] {
            "/",
            "/status",
            "/a_b___trace_.pftrace",
            "/" + secret,
            "/" + secret + "/../" + secret + "/a_b___trace_.pftrace",
            "/" + secret + "//a_b___trace_.pftrace",
            "/" + secret + "/..%2f..%2fetc%2fpasswd",
            "/" + secret.replace(secret.charAt(0), 'g') + "/a_b___trace_.pftrace"
        }) {
            assertThat(ask("GET", path)).as(path).startsWith("HTTP/1.1 404 ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "TRACE"})
    void nothingCanBeChanged(String method) throws Exception {
        assertThat(ask(method, path())).startsWith("HTTP/1.1 405 ").contains("Allow: GET, HEAD, OPTIONS\r\n");
        assertThat(file).content().isEqualTo(CONTENT);
    }

    @Test
    void anotherPortHasAPageThatHandsTheTraceOver() throws Exception {
        assertThat(server.address()).hasHost("127.0.0.1").hasPort(server.port());
        String page = ask("GET", server.address().getPath());
        assertThat(page)
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Content-Security-Policy: default-src 'none'; script-src 'nonce-")
                .contains("data-viewer=\"" + VIEWER + "\" data-name=\"a_b___trace_.pftrace\"")
                .doesNotContain("@");
    }

    @Test
    void everyRunHasAnotherSecret() throws Exception {
        try (TraceServer second = TraceServer.start(file, 0, VIEWER)) {
            assertThat(second.fileAddress().getPath()).isNotEqualTo(path());
        }
        assertThat(path()).matches("/[0-9a-f]{32}/a_b___trace_\\.pftrace");
    }

    @Test
    void aPortIsHadByOne() {
        assertThatThrownBy(() -> TraceServer.start(file, server.port(), VIEWER)).isInstanceOf(BindException.class);
    }

    @Test
    void aHeadIsNotYetTheTrace() throws Exception {
        CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
            try {
                server.await(true);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        ask("HEAD", path());
        ask("GET", "/status");
        assertThat(sent).isNotDone();
        ask("GET", path());
        sent.join();
    }

    private String path() {
        return server.fileAddress().getPath();
    }

    private String ask(String method, String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(
                method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\nConnection: close\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        return send(request.append("\r\n").toString());
    }

    private String send(String request) throws IOException {
        URI address = server.fileAddress();
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), address.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
