package dev.probestream.schema.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/**
 * A client of a schema registry: of Confluent's, or of another with its REST API (Apicurio, Karapace, Redpanda).
 *
 * <pre>
 *   POST URL/subjects/SUBJECT/versions  {"schema": "..."}   answers {"id": 7}; also if the schema is registered already
 *   GET  URL/schemas/ids/7                                  answers {"schema": "..."}
 *   an error                                                answers {"error_code": 40403, "message": "..."}
 * </pre>
 *
 * A request fails after {@value #ANSWER_LIMIT_S} s without a complete answer. Redirects are not followed: they would
 * send the password to another place.
 */
public final class SchemaRegistry {
    private static final int CONNECT_LIMIT_S = 5;
    private static final int ANSWER_LIMIT_S = 15;
    private static final int MAX_QUOTED = 300;
    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final RegistryAccess access;
    private final HttpClient client;

    private SchemaRegistry(String url, RegistryAccess access) {
        this.url = url;
        this.access = access;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(Duration.ofSeconds(CONNECT_LIMIT_S));
        access.trust().ifPresent(builder::sslContext);
        this.client = builder.build();
    }

    /**
     * {@return a client of the registry} Nothing is sent yet.
     *
     * @param url http or https, without a password; with the path below which the API is
     * @param properties {@code basic.auth.user.info}, {@code bearer.auth.token}, {@code ssl.truststore.location} or
     *     {@code ssl.truststore.password}, also with {@code schema.registry.} in front
     * @throws SchemaRegistryException if a property is unknown or cannot be used
     */
    public static SchemaRegistry open(URI url, Map<String, String> properties) throws SchemaRegistryException {
        return new SchemaRegistry(url.toString().replaceAll("/+$", ""), RegistryAccess.of(properties));
    }

    /** {@return the URL, for messages} */
    public String url() {
        return url;
    }

    /**
     * {@return the id of a schema, which is registered under the subject unless it is there}
     *
     * @param subject whose compatibility the registry checks
     * @param schema in JSON
     * @throws SchemaRegistryException if the registry does not answer, or refuses
     */
    public int register(String subject, String schema) throws SchemaRegistryException {
        String attempt = "register a schema under the subject " + subject + " in the schema registry at " + url;
        String path = "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8) + "/versions";
        String body = JSON.createObjectNode().put("schema", schema).toString();
        JsonNode id = answer(attempt, request(path).POST(BodyPublishers.ofString(body)))
                .path("id");
        if (!id.isInt()) {
            throw noRegistry(attempt, "the answer has no id");
        }
        return id.intValue();
    }

    /**
     * {@return the schema with an id; empty if it is no Avro schema, or one that refers to other subjects}
     *
     * @param id as it is in a message
     * @throws SchemaRegistryException if the registry does not answer, or does not know the id
     */
    public Optional<Schema> schema(int id) throws SchemaRegistryException {
        String attempt = "look up the schema with id " + id + " in the schema registry at " + url;
        JsonNode answer = answer(attempt, request("/schemas/ids/" + id).GET());
        if (!answer.path("schema").isTextual()) {
            throw noRegistry(attempt, "the answer has no schema");
        }
        if (!answer.path("schemaType").asText("AVRO").equals("AVRO")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Schema.Parser().parse(answer.path("schema").textValue()));
        } catch (AvroRuntimeException e) {
            return Optional.empty();
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", CONTENT_TYPE)
                .header("Accept", CONTENT_TYPE + ", application/json");
        access.authorization().ifPresent(value -> request.header("Authorization", value));
        return request;
    }

    private JsonNode answer(String attempt, HttpRequest.Builder request) throws SchemaRegistryException {
        HttpResponse<byte[]> response = send(attempt, request.build());
        int status = response.statusCode();
        if (status == 401) {
            throw new SchemaRegistryException(attempt + ": it requires a login, or refuses this one (401); give"
                    + " basic.auth.user.info=USER:PASSWORD in the file of --schema-registry-config");
        }
        if (status == 403) {
            throw new SchemaRegistryException(attempt + ": it forbids this (403); give another user in the file of"
                    + " --schema-registry-config, or ask the registry's administrator for the right");
        }
        JsonNode json;
        try {
            json = JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw noRegistry(attempt, "the answer is no JSON (status " + status + ")");
        } catch (IOException e) {
            throw new AssertionError("bytes in memory", e);
        }
        if (status == 200) {
            return json;
        }
        String reason = reason(json.path("message").asText(""));
        if (status == 409) {
            throw new SchemaRegistryException(attempt + ": it is incompatible with an earlier version of the subject"
                    + reason + "; set the subject's compatibility to NONE, or use other topics (--topic-prefix)");
        }
        if (json.path("error_code").asInt() == 40403) {
            throw new SchemaRegistryException(attempt + ": it has no such schema; give the URL of the registry that"
                    + " the collector has registered its schemas in");
        }
        if (status / 100 == 3 || status == 404) {
            throw noRegistry(attempt, "status " + status + reason);
        }
        throw new SchemaRegistryException(
                attempt + ": it refuses the request (status " + status + ")" + reason + "; see the registry's log");
    }

    private HttpResponse<byte[]> send(String attempt, HttpRequest request) throws SchemaRegistryException {
        // The timeout of HttpRequest ends when the header has come.
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, BodyHandlers.ofByteArray());
        try {
            return answer.get(ANSWER_LIMIT_S, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw unreachable(attempt, "no answer within " + ANSWER_LIMIT_S + " s");
        } catch (ExecutionException e) {
            throw unreachable(attempt, words(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unreachable(attempt, "interrupted before the answer");
        } finally {
            answer.cancel(true);
        }
    }

    private static SchemaRegistryException unreachable(String attempt, String reason) {
        return new SchemaRegistryException(
                attempt + ": " + reason + "; check the URL of --schema-registry, and that the registry is running");
    }

    private static SchemaRegistryException noRegistry(String attempt, String reason) {
        return new SchemaRegistryException(attempt + ": " + reason
                + "; the URL of --schema-registry must be that of a registry's REST API, such as"
                + " http://localhost:8081, or http://localhost:8080/apis/ccompat/v7 with Apicurio");
    }

    /** Most exceptions of the client have no message; those inside do. */
    private static String words(Throwable failure) {
        String last = "";
        for (Throwable at = failure.getCause(); at != null; at = at.getCause()) {
            if (at instanceof UnresolvedAddressException) {
                return "the name of the host is unknown";
            }
            if (at instanceof HttpConnectTimeoutException) {
                return "no connection within " + CONNECT_LIMIT_S + " s";
            }
            if (at instanceof SSLException) {
                return "TLS failed (" + at.getMessage() + "); see ssl.truststore.location";
            }
            if (at.getMessage() != null) {
                last = at.getMessage();
            } else if (last.isEmpty() && at instanceof ConnectException) {
                last = "connection refused";
            }
        }
        return last.isEmpty() ? "the connection was closed" : last;
    }

    /** A registry in Java may put the names of its exceptions in front. */
    private static String reason(String message) {
        String line = message.lines().findFirst().orElse("").replaceAll("[\\w.$]+Exception: ", "");
        if (line.isBlank()) {
            return "";
        }
        return " (" + (line.length() > MAX_QUOTED ? line.substring(0, MAX_QUOTED) + "..." : line) + ")";
    }
}
