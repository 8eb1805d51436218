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

/** Java properties of a client, such as the file of {@code --kafka-config}. Values may be secrets and are never printed. */
final class PropertiesFile {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");
    private static final Pattern SECRET = Pattern.compile("password|secret|jaas|token|credential|user\\.info|\\.key$");

    private final Path file;
    private final Map<String, String> values;

    private PropertiesFile(Path file, Map<String, String> values) {
        this.file = file;
        this.values = values;
    }

    /**
     * Reads the file.
     *
     * @param what it has, for messages: "Kafka properties"
     * @throws CommandException if it is missing, cannot be read, or is not a properties file
     */
    static PropertiesFile read(Path file, String what) throws CommandException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw refusal(file, what, "the file does not exist", e);
        } catch (AccessDeniedException e) {
            throw refusal(file, what, "permission denied", e);
        } catch (CharacterCodingException e) {
            throw refusal(file, what, "not UTF-8 text; expected one NAME=VALUE per line", e);
        } catch (IOException | IllegalArgumentException e) {
            throw refusal(file, what, String.valueOf(e.getMessage()), e);
        }
        Map<String, String> values = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (!NAME.matcher(name).matches()) {
                // The message does not quote the line: in a file of another kind it may be a secret.
                throw refusal(file, what, "not a Java properties file; expected one NAME=VALUE per line", null);
            }
            values.put(name, properties.getProperty(name).strip());
        }
        return new PropertiesFile(file, values);
    }

    Map<String, String> values() {
        return values;
    }

    /** A warning if the file holds a secret that other users can read. */
    Optional<String> warning() {
        boolean holdsSecret = values.keySet().stream()
                .anyMatch(name -> SECRET.matcher(name.toLowerCase(Locale.ROOT)).find());
        return holdsSecret && isReadByOthers()
                ? Optional.of(file + " holds a secret and is readable by every user; run: chmod o-r " + file)
                : Optional.empty();
    }

    private boolean isReadByOthers() {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        try {
            return view != null && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException e) {
            return false; // the file was readable before; only the warning is lost
        }
    }

    private static CommandException refusal(Path file, String what, String reason, @Nullable Exception cause) {
        return new CommandException(ExitCode.FAILED, "cannot read the " + what + " in " + file + ": " + reason, cause);
    }
}
