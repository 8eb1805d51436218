package dev.probestream.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;

/**
 * A request to the sample server over a kept-alive connection. java.net.http would spend the first half second of the
 * load on an unused TLS context.
 */
final class SampleRequest {
    private static final int PATIENCE_MS = 10_000;

    private SampleRequest() {}

    /**
     * Sends the request and reads the complete response.
     *
     * @throws IOException if there was no response, or its status was not 200
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
