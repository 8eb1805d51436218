package dev.probestream.cli.options;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.schema.registry.SchemaRegistry;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The schema registry of the topics. */
public final class RegistryOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--schema-registry",
            paramLabel = "URL",
            order = 23,
            converter = UrlConverter.class,
            description =
                    "The schema registry (Confluent's, Apicurio, Karapace): messages have the ids of their schemas in it."
                            + " Default: none; messages have fingerprints of their schemas.")
    private @Nullable URI url;

    @Option(
            names = "--schema-registry-config",
            paramLabel = "FILE",
            order = 24,
            description = "Properties for the registry, one NAME=VALUE per line: basic.auth.user.info=USER:PASSWORD,"
                    + " bearer.auth.token, ssl.truststore.location, ssl.truststore.password. Values are never printed.")
    private @Nullable Path config;

    /**
     * A client of the registry; empty if none was given.
     *
     * @throws CommandException if the file cannot be read
     * @throws SchemaRegistryException if a property cannot be used
     */
    public Optional<SchemaRegistry> registry(ServiceLog log) throws CommandException, SchemaRegistryException {
        if (url == null) {
            if (config != null) {
                throw new ParameterException(
                        spec.commandLine(), "--schema-registry-config needs --schema-registry URL");
            }
            return Optional.empty();
        }
        if (config == null) {
            return Optional.of(SchemaRegistry.open(url, Map.of()));
        }
        PropertiesFile read = PropertiesFile.read(config, "properties of the schema registry");
        read.warning().ifPresent(log::log);
        return Optional.of(SchemaRegistry.open(url, read.values()));
    }

    static final class UrlConverter implements ITypeConverter<URI> {
        private static final Set<String> SCHEMES = Set.of("http", "https");

        @Override
        public URI convert(String text) {
            if (text.contains("@")) {
                throw new TypeConversionException("the URL must contain no user and no password, which all users of"
                        + " this machine could read; write basic.auth.user.info=USER:PASSWORD into the file of"
                        + " --schema-registry-config");
            }
            try {
                URI url = new URI(text);
                if (url.getScheme() != null
                        && SCHEMES.contains(url.getScheme())
                        && url.getHost() != null
                        && url.getRawQuery() == null
                        && url.getRawFragment() == null) {
                    return url;
                }
            } catch (URISyntaxException e) {
                throw invalid(text);
            }
            throw invalid(text);
        }

        private static TypeConversionException invalid(String text) {
            return new TypeConversionException("invalid URL '" + text
                    + "': expected http://HOST:PORT or https://HOST:PORT, with the path of the registry's API if it has"
                    + " one, such as http://localhost:8081");
        }
    }
}
