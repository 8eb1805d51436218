package dev.probestream.cli.open;

import java.nio.file.Path;

/**
 * A file and its addresses.
 *
 * @param name of letters, digits, '.', '_' and '-' only: it stands in addresses, in headers and in a page as it is
 * @param secret the folder of its address
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
