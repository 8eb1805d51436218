package dev.probestream.schema.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.registry.CannedRegistry.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SchemaRegistryTest {
    private static final String SCHEMA = "{\"type\":\"record\",\"name\":\"A\",\"fields\":[]}";

    @Test
    void aSchemaIsRegisteredUnderItsSubject() throws IOException {
        try (CannedRegistry registry = CannedRegistry.start(request -> new Answer(200, "{\"id\":7}"))) {
            assertThat(registry.client().register("t/1-a.B", SCHEMA)).isEqualTo(7);

            assertThat(registry.requests())
                    .containsExactly("POST /subjects/t%2F1-a.B/versions {\"schema\":"
                            + "\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"A\\\",\\\"fields\\\":[]}\"}");
            assertThat(registry.authorizations()).containsExactly("null");
        }
    }

    @Test
    void anIdIsLookedUp() throws IOException {
        try (CannedRegistry registry = CannedRegistry.start(request -> switch (request) {
            case "GET /api/schemas/ids/7" ->
                new Answer(200, "{\"schema\":\"" + SCHEMA.replace("\"", "\\\"") + "\",\"references\":[]}");
            case "GET /api/schemas/ids/8" -> new Answer(200, "{\"schema\":\"{}\",\"schemaType\":\"JSON\"}");
            case "GET /api/schemas/ids/9" -> new Answer(200, "{\"schema\":\"{\\\"type\\\":\\\"other.B\\\"}\"}");
            default -> new Answer(404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
        })) {
            SchemaRegistry client = SchemaRegistry.open(URI.create(registry.url() + "/api/"), Map.of());

            assertThat(client.schema(7)).contains(new Schema.Parser().parse(SCHEMA));
            assertThat(client.schema(8)).isEmpty();
            assertThat(client.schema(9)).isEmpty();
            assertThatThrownBy(() -> client.schema(10))
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessage("look up the schema with id 10 in the schema registry at " + registry.url()
                            + "/api: it has no such schema; give the URL of the registry that the collector has"
                            + " registered its schemas in");
        }
    }

    @Test
    void aLoginIsSentAndNeverSaid() throws IOException {
        try (CannedRegistry registry =
                CannedRegistry.start(request -> new Answer(401, "no geheim-42 here, geheim-42 is wrong"))) {
            for (String name : new String[] {"basic.auth.user.info", "schema.registry.basic.auth.user.info"}) {
                SchemaRegistry client = SchemaRegistry.open(registry.url(), Map.of(name, "u:geheim-42"));
                assertThatThrownBy(() -> client.register("s", SCHEMA))
                        .hasMessageEndingWith(": it requires a login, or refuses this one (401); give"
                                + " basic.auth.user.info=USER:PASSWORD in the file of --schema-registry-config")
                        .hasMessageNotContainingAny("geheim");
            }
            SchemaRegistry withToken = SchemaRegistry.open(registry.url(), Map.of("bearer.auth.token", "geheim-42"));
            assertThatThrownBy(() -> withToken.register("s", SCHEMA)).hasMessageNotContainingAny("geheim");

            assertThat(registry.authorizations())
                    .containsExactly("Basic dTpnZWhlaW0tNDI=", "Basic dTpnZWhlaW0tNDI=", "Bearer geheim-42");
        }
    }

    @Test
    void refusalsAreOneSentence() throws IOException {
        assertRefused(
                new Answer(403, "{\"error_code\":40301,\"message\":\"no\"}"),
                "it forbids this (403); give another user in the file of --schema-registry-config, or ask the"
                        + " registry's administrator for the right");
        assertRefused(
                new Answer(
                        409,
                        "{\"error_code\":409,\"message\":\"org.x.RuleException: Incompatible artifact: x at /fields/0\\nmore\"}"),
                "it is incompatible with an earlier version of the subject (Incompatible artifact: x at /fields/0);"
                        + " set the subject's compatibility to NONE, or use other topics (--topic-prefix)");
        assertRefused(
                new Answer(422, "{\"error_code\":42201,\"message\":\"Invalid schema\"}"),
                "it refuses the request (status 422) (Invalid schema); see the registry's log");
        String advice = "; the URL of --schema-registry must be that of a registry's REST API, such as"
                + " http://localhost:8081, or http://localhost:8080/apis/ccompat/v7 with Apicurio";
        assertRefused(new Answer(200, "<html>welcome</html>"), "the answer is no JSON (status 200)" + advice);
        assertRefused(new Answer(200, "[1]"), "the answer has no id" + advice);
        assertRefused(new Answer(404, "{\"message\":\"no such path\"}"), "status 404 (no such path)" + advice);
        assertRefused(new Answer(302, "{}", "http://other.invalid/"), "status 302" + advice);
        assertRefused(new Answer(500, "{}"), "it refuses the request (status 500); see the registry's log");
    }

    private static void assertRefused(Answer answer, String reason) throws IOException {
        try (CannedRegistry registry = CannedRegistry.start(request -> answer)) {
            SchemaRegistry client = registry.client();
            assertThatThrownBy(() -> client.register("s", SCHEMA))
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessage("register a schema under the subject s in the schema registry at " + registry.url()
                            + ": " + reason);
        }
    }

    @Test
    void aRegistryThatIsNotThereIsSaid() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        String advice = "; check the URL of --schema-registry, and that the registry is running";
        for (Map.Entry<String, String> place : Map.of(
                        "http://127.0.0.1:" + port,
                        "connection refused",
                        "http://no-such-host.invalid:8081",
                        "the name of the host is unknown")
                .entrySet()) {
            SchemaRegistry client = SchemaRegistry.open(URI.create(place.getKey()), Map.of());
            assertThatThrownBy(() -> client.schema(1))
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessageStartingWith(
                            "look up the schema with id 1 in the schema registry at " + place.getKey() + ": ")
                    .hasMessageContaining(advice)
                    .message()
                    .containsIgnoringCase(place.getValue());
        }
    }

    @Test
    void aCertificateIsTrustedIfItIsInTheTruststore(@TempDir Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=registry",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "geheim-42")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        try (CannedRegistry registry =
                CannedRegistry.startWithTls(store, "geheim-42", request -> new Answer(200, "{\"id\":7}"))) {
            assertThatThrownBy(() -> registry.client().register("s", SCHEMA))
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessageContaining(": TLS failed (")
                    .hasMessageContaining("); see ssl.truststore.location");

            SchemaRegistry trusting = SchemaRegistry.open(
                    registry.url(),
                    Map.of("ssl.truststore.location", store.toString(), "ssl.truststore.password", "geheim-42"));
            assertThat(trusting.register("s", SCHEMA)).isEqualTo(7);
        }
    }

    @Test
    void propertiesAreChecked(@TempDir Path folder) throws IOException {
        URI url = URI.create("http://127.0.0.1:1");
        assertThatThrownBy(() -> SchemaRegistry.open(url, Map.of("basic.auth.userinfo", "u:p")))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessage("use the properties of the schema registry: basic.auth.userinfo is unknown; known are"
                        + " basic.auth.user.info, bearer.auth.token, ssl.truststore.location, ssl.truststore.password");
        assertThatThrownBy(
                        () -> SchemaRegistry.open(url, Map.of("basic.auth.user.info", "u:p", "bearer.auth.token", "t")))
                .hasMessageContaining("exclude each other");
        Path noStore = Files.writeString(folder.resolve("store"), "text");
        assertThatThrownBy(() -> SchemaRegistry.open(url, Map.of("ssl.truststore.location", noStore.toString())))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageStartingWith("read ssl.truststore.location " + noStore + ": ");
        assertThatThrownBy(() -> SchemaRegistry.open(
                        url,
                        Map.of("ssl.truststore.location", folder.resolve("none").toString())))
                .isInstanceOf(SchemaRegistryException.class);
    }
}
