package dev.probestream.cli.nodetrace;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class InspectorSessionTest {
    private static final int CONNECTIONS = 300;
    private static final Map<String, Object> CLOSE = Map.of("expression", "require('inspector').close()");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void commandThatEndsTheConnectionIsDoneWhereverTheEndComes() throws Exception {
        try (EndingPeer peer = new EndingPeer(true)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (InspectorSession session = InspectorSession.open(client, 1, peer.address())) {
                    assertThatCode(() -> session.sendWithoutAnswer("Runtime.evaluate", CLOSE))
                            .doesNotThrowAnyException();
                }
            }
        }
    }

    @Test
    void onlyCommandsWithAnAnswerNeedTheConnection() throws Exception {
        try (EndingPeer peer = new EndingPeer(false);
                InspectorSession session = InspectorSession.open(client, 1, peer.address())) {
            session.closed().get(60, TimeUnit.SECONDS);

            session.sendWithoutAnswer("Runtime.evaluate", CLOSE);
            assertThatThrownBy(() -> session.send("NodeTracing.stop", Map.of()))
                    .isInstanceOf(NodeTraceException.class)
                    .hasMessageContaining("(NodeTracing.stop): the connection has ended");
        }
    }

    /** A WebSocket server (RFC 6455) that ends each connection, at once or when it gets the first byte of a command. */
    private static final class EndingPeer implements AutoCloseable {
        private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // section 1.3
        private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: (\\S+)");
        private static final byte[] CLOSE_FRAME = {(byte) 0x88, 2, 0x03, (byte) 0xe8}; // status 1000

        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final boolean hasToGetCommand;

        EndingPeer(boolean hasToGetCommand) throws IOException {
            this.hasToGetCommand = hasToGetCommand;
            Thread serving = new Thread(this::serve, "ending-peer");
            serving.setDaemon(true);
            serving.start();
        }

        URI address() {
            return URI.create("ws://127.0.0.1:" + listening.getLocalPort() + "/");
        }

        private void serve() {
            while (!listening.isClosed()) {
                try (Socket connection = listening.accept()) {
                    InputStream in = connection.getInputStream();
                    connection.getOutputStream().write(acceptance(header(in)));
                    if (hasToGetCommand) {
                        int first = in.read();
                        if (first < 0) {
                            continue;
                        }
                    }
                    connection.getOutputStream().write(CLOSE_FRAME);
                    in.transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The client has ended the connection, or the peer is closed.
                }
            }
        }

        private static String header(InputStream in) throws IOException {
            ByteArrayOutputStream header = new ByteArrayOutputStream();
            while (!header.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                header.write(in.read());
            }
            return header.toString(StandardCharsets.ISO_8859_1);
        }

        private static byte[] acceptance(String header) {
            Matcher key = KEY.matcher(header);
            if (!key.find()) {
                throw new IllegalArgumentException("no key in " + header);
            }
            try {
                byte[] digest = MessageDigest.getInstance("SHA-1")
                        .digest((key.group(1) + ACCEPT_SUFFIX).getBytes(StandardCharsets.US_ASCII));
                return ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            try {
                listening.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
