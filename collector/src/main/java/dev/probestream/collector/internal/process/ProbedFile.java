package dev.probestream.collector.internal.process;

import java.nio.file.Path;

/**
 * A file that a process has mapped.
 *
 * @param shownPath the path as the process sees it
 * @param file a path that opens it
 */
public record ProbedFile(String shownPath, Path file, FileId id) {
    /** Whether {@code name}, a word without a slash in a spec, names this file or its library. */
    public boolean isNamed(String name) {
        return isNamed(name, shownPath.substring(shownPath.lastIndexOf('/') + 1));
    }

    /**
     * Whether a file name or a library's short name means a file: {@code libuv}, {@code uv} and {@code libuv.so.1} mean
     * {@code libuv.so.1.0.0}; {@code libc} means {@code libc.so.6} and {@code libc-2.31.so}, but not {@code
     * libcrypto.so.3}.
     */
    public static boolean isNamed(String name, String fileName) {
        return fileName.equals(name) || isVersionOf(name, fileName) || isVersionOf("lib" + name, fileName);
    }

    private static boolean isVersionOf(String stem, String fileName) {
        if (!fileName.startsWith(stem)) {
            return false;
        }
        String rest = fileName.substring(stem.length());
        return stem.contains(".so") ? rest.matches("(\\.[0-9]+)*") : rest.matches("(-[0-9.]+)?\\.so(\\.[0-9]+)*");
    }
}
