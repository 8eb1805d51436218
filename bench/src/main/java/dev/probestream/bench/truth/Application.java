package dev.probestream.bench.truth;

import java.nio.file.FileSystems;
import java.nio.file.Path;

/**
 * A framework whose handlers use a client.
 *
 * @param since the first version of Node that both support, if the one that was asked is older; else 0
 */
record Application(String framework, String client, int since) {
    /** Of FRAMEWORK/CLIENT or FRAMEWORK/CLIENT!SINCE. */
    static Application parse(String text) {
        String[] parts = text.split("[/!]");
        return new Application(parts[0], parts[1], parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
    }

    String title() {
        return framework + "/" + client;
    }

    boolean isSupported() {
        return since == 0;
    }

    /** Whether a glob fits it; one without a slash also fits a framework or a client. */
    boolean fits(String glob) {
        return matches(glob, title()) || matches(glob, framework) || matches(glob, client);
    }

    private static boolean matches(String glob, String text) {
        return FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(Path.of(text));
    }
}
