package dev.probestream.collector.internal.counter;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name and the version of a package.json (docs.npmjs.com, package.json). Other fields are passed over.
 *
 * @param version may be empty
 */
record PackageJson(String name, String version) {
    /** npm allows 214 characters in a name; here they may be any that can be shown in a line. */
    private static final Pattern NAME = Pattern.compile("[\\P{C}&&[^\\p{Zl}\\p{Zp}]]{1,214}");
    /** The characters of a semantic version (semver.org); a text without such a shape is no version. */
    private static final Pattern VERSION = Pattern.compile("[0-9A-Za-z.+-]{1,64}");

    private static final int MAX_DEPTH = 64;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    /**
     * Reads one; empty if it has no name, as one that only says which kind of modules a folder has.
     *
     * @param file JSON in UTF-8
     * @throws IOException if it is no object of JSON, or its name is not a text of a reasonable size. The message may quote the file
     */
    static Optional<PackageJson> parse(byte[] file) throws IOException {
        String name = "";
        String version = "";
        try (JsonParser json = JSON.createParser(file)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("a package.json is not an object of JSON");
            }
            // Of a field that is there twice the last one counts, as in JSON.parse().
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (field.equals("name")) {
                    name = name(json, value);
                } else if (field.equals("version")) {
                    version = value == JsonToken.VALUE_STRING ? json.getText() : "";
                }
                json.skipChildren();
            }
            if (json.nextToken() != null) {
                throw new IOException("a package.json goes on behind its object");
            }
        }
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(new PackageJson(name, VERSION.matcher(version).matches() ? version : ""));
    }

    private static String name(JsonParser json, JsonToken value) throws IOException {
        if (value != JsonToken.VALUE_STRING) {
            throw new IOException("the name of a package.json is not a text");
        }
        String name = json.getText().strip();
        if (!name.isEmpty() && !NAME.matcher(name).matches()) {
            throw new IOException("the name of a package.json is too long, or has characters that cannot be shown");
        }
        return name;
    }

    PackageJson withoutVersion() {
        return new PackageJson(name, "");
    }

    /** As {@code shop 1.2.0}. */
    @Override
    public String toString() {
        return version.isEmpty() ? name : name + " " + version;
    }
}
