package dev.probestream.schema.registry;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * How a client proves who it is to a registry, and which registry it trusts.
 *
 * @param authorization value of the header {@code Authorization}, a secret; empty = none
 * @param trust of https; empty = the certificates that the JDK trusts
 */
record RegistryAccess(Optional<String> authorization, Optional<SSLContext> trust) {
    private static final String USER_INFO = "basic.auth.user.info";
    private static final String TOKEN = "bearer.auth.token";
    private static final String TRUSTSTORE = "ssl.truststore.location";
    private static final String TRUSTSTORE_PASSWORD = "ssl.truststore.password";
    private static final Set<String> NAMES = new TreeSet<>(Set.of(USER_INFO, TOKEN, TRUSTSTORE, TRUSTSTORE_PASSWORD));

    /** What the names of all properties begin with in a file that is also of a Kafka client. */
    private static final String PREFIX = "schema.registry.";

    /** @param properties with the names of Confluent's clients, with or without {@value #PREFIX} */
    static RegistryAccess of(Map<String, String> properties) throws SchemaRegistryException {
        for (String name : properties.keySet()) {
            String shortName = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
            if (!NAMES.contains(shortName)) {
                throw new SchemaRegistryException("use the properties of the schema registry: " + name
                        + " is unknown; known are " + String.join(", ", NAMES));
            }
        }
        Optional<String> basic = value(properties, USER_INFO)
                .map(text -> "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
        Optional<String> bearer = value(properties, TOKEN).map(token -> "Bearer " + token);
        if (basic.isPresent() && bearer.isPresent()) {
            throw new SchemaRegistryException("use the properties of the schema registry: " + USER_INFO + " and "
                    + TOKEN + " exclude each other; remove one");
        }
        Optional<String> truststore = value(properties, TRUSTSTORE);
        return new RegistryAccess(
                basic.or(() -> bearer),
                truststore.isEmpty()
                        ? Optional.empty()
                        : Optional.of(trust(
                                truststore.get(),
                                value(properties, TRUSTSTORE_PASSWORD).orElse(""))));
    }

    private static Optional<String> value(Map<String, String> properties, String name) {
        return Optional.ofNullable(properties.get(name)).or(() -> Optional.ofNullable(properties.get(PREFIX + name)));
    }

    /** @param file in PKCS12 or JKS */
    private static SSLContext trust(String file, String password) throws SchemaRegistryException {
        try {
            KeyStore store = KeyStore.getInstance(new File(file), password.toCharArray());
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusted.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SchemaRegistryException("read " + TRUSTSTORE + " " + file + ": " + e.getMessage()
                    + "; give a file in PKCS12 or JKS, and its " + TRUSTSTORE_PASSWORD);
        }
    }

    /** Has no secret. */
    @Override
    public String toString() {
        return "RegistryAccess[authorization=" + (authorization.isPresent() ? "given" : "none") + "]";
    }
}
