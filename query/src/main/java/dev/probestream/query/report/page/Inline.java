package dev.probestream.query.report.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/** An inline script or style of the page, from resources of this package. */
record Inline(String text) {
    static Inline resources(String before, List<String> names, String after) {
        StringBuilder text = new StringBuilder(before);
        names.forEach(name -> text.append(read(name)));
        return new Inline(text.append(after).toString());
    }

    /** Its source in a content security policy (Content Security Policy Level 3, "hash-source"). */
    String source() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }

    private static String read(String name) {
        try (InputStream in = Inline.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new LinkageError("the build left out the resource " + name + " of the report's page");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + name, e);
        }
    }
}
