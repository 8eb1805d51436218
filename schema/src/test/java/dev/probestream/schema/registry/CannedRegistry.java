package dev.probestream.schema.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An HTTP server on loopback that gives prepared answers, and keeps what it was asked. */
public final class CannedRegistry implements AutoCloseable {
    /**
     * One answer.
     *
     * @param location of a redirect; empty = none
     */
    public record Answer(int status, String body, String location) {
        public Answer(int status, String body) {
            this(status, body, "");
        }
    }

    private final HttpServer server;
    /** {@code POST /subjects/A/versions}, and the body behind a space if there is one. */
    private final List<String> requests = new ArrayList<>();

    private final List<String> authorizations = new ArrayList<>();

    private CannedRegistry(HttpServer server, Function<String, Answer> answers) {
        this.server = server;
        server.createContext("/", exchange -> answer(exchange, answers));
        server.start();
    }

    /** Starts it; {@code answers} takes method, path and body of a request. */
    public static CannedRegistry start(Function<String, Answer> answers) throws IOException {
        return new CannedRegistry(
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0), answers);
    }

    /** The same with https, and the key in a file of type PKCS12. */
    static CannedRegistry startWithTls(Path store, String password, Function<String, Answer> answers)
            throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(store.toFile(), password.toCharArray()), password.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new CannedRegistry(server, answers);
    }

    public URI url() {
        return URI.create((server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:"
                + server.getAddress().getPort());
    }

    /** A client without properties. */
    public SchemaRegistry client() throws SchemaRegistryException {
        return SchemaRegistry.open(url(), Map.of());
    }

    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    synchronized List<String> authorizations() {
        return List.copyOf(authorizations);
    }

    private void answer(HttpExchange exchange, Function<String, Answer> answers) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request =
                (exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath() + " " + body).strip();
        Answer answer;
        synchronized (this) {
            requests.add(request);
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            answer = answers.apply(request);
        }
        if (!answer.location.isEmpty()) {
            exchange.getResponseHeaders().add("Location", answer.location);
        }
        byte[] bytes = answer.body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
