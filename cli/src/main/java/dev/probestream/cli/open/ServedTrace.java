package dev.probestream.cli.open;

import java.nio.file.Path;

/**
 * A file and its addresses.
 *
 * @param name of letters, digits, '.', '_' and '-' only: it is used in addresses, headers and pages without escaping
 * @param secret the folder in its address
 */
record ServedTrace(Path file, String name, String secret) {
    static ServedTrace of(Path file, String secret) {
        String name = String.valueOf(file.getFileName());
        return new ServedTrace(file, name.replaceAll("[^A-Za-z0-9._-]", "_"), secret);
    }

    String filePath() {
        return pagePath() + name;
    }

    String pagePath() {
        return "/" + secret + "/";
    }

    String contentType() {
        return name.endsWith(".json") ? "application/json" : "application/octet-stream";
    }
}
