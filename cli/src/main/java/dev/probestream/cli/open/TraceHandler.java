package dev.probestream.cli.open;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.probestream.cli.loopback.LoopbackHost;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves the file, or the page that passes it to the viewer. The Host header must be a loopback name (another name that
 * resolves to loopback is "DNS rebinding"), and the Origin header, if present, must be the viewer or this server.
 */
final class TraceHandler implements HttpHandler {
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final int NO_BODY = -1;

    private final ServedTrace trace;
    private final String viewer;
    private final String nonce;
    private final Runnable onSent;

    /** Calls {@code onSent} each time the complete file was sent. */
    TraceHandler(ServedTrace trace, String viewer, String nonce, Runnable onSent) {
        this.trace = trace;
        this.viewer = viewer;
        this.nonce = nonce;
        this.onSent = onSent;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers request = exchange.getRequestHeaders();
            String host = request.getFirst("Host");
            String origin = request.getFirst("Origin");
            if (!LoopbackHost.isNamedBy(host)
                    || !(origin == null || origin.equals(viewer) || origin.equals("http://" + host))) {
                exchange.sendResponseHeaders(403, NO_BODY);
                return;
            }
            allow(origin, request, exchange.getResponseHeaders());
            answer(exchange);
        }
    }

    /** Cross-origin sharing (Fetch Standard), and permission for a public page to read from loopback (Private Network Access). */
    private void allow(@Nullable String origin, Headers request, Headers response) {
        response.set("Vary", "Origin");
        response.set("Cache-Control", "no-store");
        response.set("X-Content-Type-Options", "nosniff");
        if (viewer.equals(origin)) {
            response.set("Access-Control-Allow-Origin", viewer);
            if (request.containsKey("Access-Control-Request-Private-Network")) {
                response.set("Access-Control-Allow-Private-Network", "true");
            }
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        // The raw path: other encodings of the path are not accepted.
        String path = exchange.getRequestURI().getRawPath();
        boolean isFile = trace.filePath().equals(path);
        if (!isFile && !trace.pagePath().equals(path)) {
            exchange.sendResponseHeaders(404, NO_BODY);
        } else if (exchange.getRequestMethod().equals("OPTIONS")) {
            exchange.getResponseHeaders().set("Access-Control-Allow-Methods", "GET, HEAD");
            exchange.getResponseHeaders().set("Access-Control-Allow-Headers", "*");
            exchange.sendResponseHeaders(204, NO_BODY);
        } else if (!READING.contains(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD, OPTIONS");
            exchange.sendResponseHeaders(405, NO_BODY);
        } else if (isFile) {
            sendFile(exchange);
        } else {
            sendPage(exchange);
        }
    }

    private void sendFile(HttpExchange exchange) throws IOException {
        Headers response = exchange.getResponseHeaders();
        response.set("Content-Type", trace.contentType());
        try (InputStream in = Files.newInputStream(trace.file())) {
            long sizeBytes = Files.size(trace.file());
            if (exchange.getRequestMethod().equals("HEAD")) {
                response.set("Content-Length", String.valueOf(sizeBytes));
                exchange.sendResponseHeaders(200, NO_BODY);
                return;
            }
            exchange.sendResponseHeaders(200, sizeBytes == 0 ? NO_BODY : sizeBytes); // 0 would mean "chunked"
            try (OutputStream out = exchange.getResponseBody()) {
                in.transferTo(out);
            }
            onSent.run();
        }
    }

    private void sendPage(HttpExchange exchange) throws IOException {
        byte[] page = page().getBytes(StandardCharsets.UTF_8);
        Headers response = exchange.getResponseHeaders();
        response.set("Content-Type", "text/html; charset=utf-8");
        response.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'nonce-" + nonce + "'; connect-src 'self'; base-uri 'none'");
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(200, isHead ? NO_BODY : page.length);
        if (!isHead) {
            exchange.getResponseBody().write(page);
        }
    }

    private String page() throws IOException {
        try (InputStream in = TraceHandler.class.getResourceAsStream("hand-over.html")) {
            if (in == null) {
                throw new LinkageError("the build left out the resource hand-over.html");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@NAME@", trace.name())
                    .replace("@VIEWER@", viewer)
                    .replace("@NONCE@", nonce);
        }
    }
}
