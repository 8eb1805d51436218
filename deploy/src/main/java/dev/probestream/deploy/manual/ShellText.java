package dev.probestream.deploy.manual;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What the scripts of the three shells have in common. */
final class ShellText {
    private ShellText() {}

    /** The part of a script that does not depend on the commands: a resource in which {@code @NAME@} are replaced. */
    static String filled(String resource, Map<String, String> parts) {
        String text = read(resource);
        for (Map.Entry<String, String> part : parts.entrySet()) {
            text = text.replace("@" + part.getKey() + "@", part.getValue());
        }
        return text;
    }

    private static String read(String resource) {
        try (InputStream stream = ShellText.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("the resource " + resource + " is missing beside " + ShellText.class);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One word in the quotes of bash and zsh. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
