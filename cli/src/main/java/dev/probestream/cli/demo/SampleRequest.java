package dev.probestream.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;

/**
 * A request to the sample server over a connection that is kept alive. java.net.http would spend the first half second
 * of the load on a TLS context that nobody needs.
 */
final class SampleRequest {
    private static final int PATIENCE_MS = 10_000;

    private SampleRequest() {}

    /**
     * Asks and reads the whole answer.
     *
     * @throws IOException there was none, or its status was not 200
     */
    static byte[] get(URI address) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(PATIENCE_MS);
        connection.setReadTimeout(PATIENCE_MS);
        try (InputStream body = connection.getInputStream()) {
            byte[] answer = body.readAllBytes();
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException("get " + address + ": status " + connection.getResponseCode());
            }
            return answer;
        }
    }
}
