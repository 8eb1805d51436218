package dev.probestream.collector.internal.sourcemap;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** URLs of scripts, of source maps and in source maps, as far as they lead to files or hold their data themselves. */
final class SourceUrl {
    private static final String FILE = "file:";
    private static final String DATA = "data:";
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*", Pattern.DOTALL);
    private static final int MAX_LENGTH = 4096;

    private SourceUrl() {}

    /** The path of a script, which is named by its path or by a URL; empty if it is of no file. */
    static Optional<String> pathOf(String script) {
        if (script.startsWith("/")) {
            return Optional.of(script); // a name, not a URL: nothing is escaped
        }
        return script.startsWith(FILE) ? Optional.of(filePath(script)) : Optional.empty();
    }

    /**
     * What a reference leads to from a file.
     *
     * @param base path of the file; "" = unknown
     * @param reference relative or absolute
     * @return a path, or the URL if it is of another scheme than {@code file:}; "" if it is too long
     */
    static String resolve(String base, String reference) {
        if (reference.length() > MAX_LENGTH) {
            return "";
        }
        if (reference.startsWith(FILE)) {
            return filePath(reference);
        }
        if (SCHEME.matcher(reference).matches() || reference.startsWith("//")) {
            return reference;
        }
        String path = decoded(withoutQuery(reference));
        if (path.startsWith("/")) {
            return normalized(path);
        }
        String folder = base.substring(0, base.lastIndexOf('/') + 1);
        return folder.isEmpty() ? path : normalized(folder + path);
    }

    /** The data of a URL of the scheme {@code data:} (RFC 2397); empty if it is another URL, or malformed. */
    static Optional<byte[]> data(String url) {
        int comma = url.indexOf(',');
        if (!isData(url) || comma < 0) {
            return Optional.empty();
        }
        byte[] data = decodedBytes(url.substring(comma + 1));
        if (!url.substring(0, comma).toLowerCase(Locale.ROOT).endsWith(";base64")) {
            return Optional.of(data);
        }
        try {
            return Optional.of(Base64.getMimeDecoder().decode(data));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static boolean isData(String url) {
        return url.startsWith(DATA);
    }

    /** {@code file:///a/b}, {@code file://host/a/b}, {@code file:/a/b}. */
    private static String filePath(String url) {
        String rest = withoutQuery(url.substring(FILE.length()));
        if (rest.startsWith("//")) {
            int path = rest.indexOf('/', 2);
            rest = path < 0 ? "/" : rest.substring(path);
        }
        return normalized(decoded(rest));
    }

    private static String withoutQuery(String url) {
        int end = 0;
        while (end < url.length() && url.charAt(end) != '?' && url.charAt(end) != '#') {
            end++;
        }
        return url.substring(0, end);
    }

    /** Without empty parts, {@code .} and {@code ..}. */
    private static String normalized(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts);
    }

    private static String decoded(String text) {
        return text.indexOf('%') < 0 ? text : new String(decodedBytes(text), StandardCharsets.UTF_8);
    }

    /** Each {@code %XX} is a byte; other text is in UTF-8. */
    private static byte[] decodedBytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int high = bytes[i] == '%' && i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
            if (low < 0) {
                decoded.write(bytes[i]);
            } else {
                decoded.write(high << 4 | low);
                i += 2;
            }
        }
        return decoded.toByteArray();
    }
}
