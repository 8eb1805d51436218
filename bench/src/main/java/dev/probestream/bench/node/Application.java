package dev.probestream.bench.node;

import java.nio.file.FileSystems;
import java.nio.file.Path;

/**
 * A framework whose handlers use a client.
 *
 * @param since the first version of Node that both support, if the one that was asked is older; else 0
 */
public record Application(String framework, String client, int since) {
    /** Of FRAMEWORK/CLIENT or FRAMEWORK/CLIENT!SINCE. */
    public static Application parse(String text) {
        String[] parts = text.split("[/!]");
        return new Application(parts[0], parts[1], parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
    }

    /** FRAMEWORK/CLIENT. */
    public String title() {
        return framework + "/" + client;
    }

    /** Whether the version of Node that was asked is new enough. */
    public boolean isSupported() {
        return since == 0;
    }

    /** Whether a glob fits it; one without a slash also fits a framework or a client. */
    public boolean fits(String glob) {
        return matches(glob, title()) || matches(glob, framework) || matches(glob, client);
    }

    private static boolean matches(String glob, String text) {
        return FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(Path.of(text));
    }
}
