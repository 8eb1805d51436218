package dev.probestream.cli.options;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The file of {@code --kafka-config}: Java properties of a Kafka client. Values may be secrets and are never said. */
final class KafkaProperties {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");
    private static final Pattern SECRET = Pattern.compile("password|secret|jaas|token|credential|\\.key$");

    private final Path file;
    private final Map<String, String> values;

    private KafkaProperties(Path file, Map<String, String> values) {
        this.file = file;
        this.values = values;
    }

    /**
     * Reads the file.
     *
     * @throws CommandException when it is missing, cannot be read, or is no file of properties
     */
    static KafkaProperties read(Path file) throws CommandException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw refusal(file, "there is no such file", e);
        } catch (AccessDeniedException e) {
            throw refusal(file, "permission denied", e);
        } catch (CharacterCodingException e) {
            throw refusal(file, "it is no UTF-8 text; write one NAME=VALUE per line", e);
        } catch (IOException | IllegalArgumentException e) {
            throw refusal(file, String.valueOf(e.getMessage()), e);
        }
        Map<String, String> values = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (!NAME.matcher(name).matches()) {
                // Not said which: in a file of another kind it may be anything, also a secret.
                throw refusal(file, "it is no file of Java properties; write one NAME=VALUE per line", null);
            }
            values.put(name, properties.getProperty(name).strip());
        }
        return new KafkaProperties(file, values);
    }

    Map<String, String> values() {
        return values;
    }

    /** What its owner should know, when it holds a secret that others can read. */
    Optional<String> warning() {
        boolean holdsSecret = values.keySet().stream()
                .anyMatch(name -> SECRET.matcher(name.toLowerCase(Locale.ROOT)).find());
        return holdsSecret && isReadByOthers()
                ? Optional.of(file + " holds a secret and every user can read it: chmod o-r " + file)
                : Optional.empty();
    }

    private boolean isReadByOthers() {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        try {
            return view != null && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException e) {
            return false; // it was read a moment ago; a warning is all that is at stake
        }
    }

    private static CommandException refusal(Path file, String reason, @Nullable Exception cause) {
        return new CommandException(
                ExitCode.FAILED, "cannot read the Kafka properties in " + file + ": " + reason, cause);
    }
}
