package dev.probestream.cli.nodetrace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to an inspector: sends commands, receives responses and events (the Chrome DevTools Protocol). Events are
 * passed to a listener on a thread of the client, one at a time.
 */
final class InspectorSession implements AutoCloseable {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final int pid;
    private final Map<Integer, CompletableFuture<JsonNode>> awaited = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final CompletableFuture<WebSocket> socket = new CompletableFuture<>();
    private volatile Consumer<JsonNode> onEvent = event -> {};
    private int lastId;

    private InspectorSession(int pid) {
        this.pid = pid;
    }

    static InspectorSession open(HttpClient client, int pid, URI url) throws IOException {
        InspectorSession session = new InspectorSession(pid);
        session.socket.complete(session.await(
                client.newWebSocketBuilder().connectTimeout(ANSWER_TIMEOUT).buildAsync(url, session.new Receiver()),
                "connect to " + url));
        return session;
    }

    /** The parameters of NodeTracing.start. */
    static Map<String, Object> categories(TraceCategories categories) {
        return Map.of("traceConfig", Map.of("includedCategories", categories.names()));
    }

    /** Sets the listener; earlier events were dropped. */
    void onEvent(Consumer<JsonNode> listener) {
        onEvent = listener;
    }

    /** Completes when the connection has ended. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    boolean isClosed() {
        return closed.isDone();
    }

    /**
     * Sends a command and waits for its result.
     *
     * @throws NodeTraceException if the command fails or there is no response
     */
    JsonNode send(String method, Map<String, ?> parameters) throws IOException {
        JsonNode answer = await(request(method, parameters), method);
        if (answer.has("error")) {
            throw failed(method, answer.path("error").path("message").asText(), null);
        }
        return answer.path("result");
    }

    /**
     * Sends a command that ends the connection. The end may come at any moment: before the response, while the command is
     * still being sent, or earlier because the process ends; all of these are success.
     */
    void sendWithoutAnswer(String method, Map<String, ?> parameters) throws IOException {
        try {
            await(CompletableFuture.anyOf(request(method, parameters), closed), method);
        } catch (NodeTraceException e) {
            if (!isClosed()) {
                throw e;
            }
        }
    }

    private synchronized CompletableFuture<JsonNode> request(String method, Map<String, ?> parameters)
            throws IOException {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        int id = ++lastId;
        awaited.put(id, answer);
        if (isClosed()) {
            throw failed(method, "the connection has ended", null);
        }
        String message = JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters));
        await(socket.join().sendText(message, true), method);
        return answer;
    }

    private <T> T await(CompletableFuture<T> future, String what) throws IOException {
        try {
            return future.get(ANSWER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(what, "interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw failed(what, String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw failed(
                    what, "no response after " + ANSWER_TIMEOUT.toSeconds() + " s; its event loop may be blocked", e);
        }
    }

    private NodeTraceException failed(String what, String reason, @Nullable Throwable cause) {
        return new NodeTraceException(
                "cannot talk to the inspector of process " + pid + " (" + what + "): " + reason, cause);
    }

    @Override
    public void close() {
        WebSocket open = socket.join();
        if (!isClosed()) {
            CompletableFuture<WebSocket> sent = open.sendClose(WebSocket.NORMAL_CLOSURE, "");
            try {
                CompletableFuture.allOf(sent, closed).get(ANSWER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // Treated as closed.
            }
        }
        open.abort();
    }

    private final class Receiver implements WebSocket.Listener {
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
            message.append(part);
            if (isLast) {
                String whole = message.toString();
                message.setLength(0);
                receive(whole);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        private void receive(String text) {
            JsonNode received;
            try {
                received = JSON.readTree(text);
            } catch (IOException e) {
                end(e);
                return;
            }
            CompletableFuture<JsonNode> answer =
                    awaited.remove(received.path("id").asInt());
            if (answer != null) {
                answer.complete(received);
            } else {
                onEvent.accept(received);
            }
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            end(new IOException("the process ended the connection"));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            end(error);
        }

        private void end(Throwable cause) {
            closed.complete(null);
            awaited.values().forEach(answer -> answer.completeExceptionally(cause));
        }
    }
}
