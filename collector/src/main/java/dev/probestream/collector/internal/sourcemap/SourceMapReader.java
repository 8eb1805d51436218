package dev.probestream.collector.internal.sourcemap;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads a source map of version 3, whole or in {@code sections}. Of its fields, {@code sourcesContent}, {@code names} and
 * {@code file} are passed over without being kept.
 */
final class SourceMapReader {
    /**
     * Characters of {@code mappings}, which is kept as a whole for a moment, with 2 bytes each; 50 MB of a map are mostly
     * sources' texts. Where the memory of this process is less than 512 MB, fewer are read.
     */
    private static final int MAX_TEXT =
            (int) Math.min(32 << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final int MAX_SOURCES = 1 << 18;
    private static final int MAX_SOURCE_CHARACTERS = 16 << 20;
    private static final int MAX_DEPTH = 16;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(MAX_TEXT)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final JsonParser json;
    private final UnaryOperator<String> resolved;
    private final SourceMap.Builder map = new SourceMap.Builder();
    private final List<String> sources = new ArrayList<>();
    private int sourceCharacters;

    private SourceMapReader(JsonParser json, UnaryOperator<String> resolved) {
        this.json = json;
        this.resolved = resolved;
    }

    /**
     * @param in JSON in UTF-8; not closed
     * @param resolved what a source's URL in the map is in the process's file system
     * @throws SourceMapException if it is no source map, or exceeds a limit
     */
    static SourceMap read(InputStream in, UnaryOperator<String> resolved) throws IOException, SourceMapException {
        try (JsonParser json = JSON.createParser(in)) {
            json.disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
            SourceMapReader reader = new SourceMapReader(json, resolved);
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new SourceMapException("it is not an object of JSON");
            }
            reader.map(0, 0, true);
            return reader.map.build(reader.sources);
        } catch (JsonProcessingException e) {
            // Its text quotes the content.
            long position = e.getLocation() == null ? -1 : e.getLocation().getByteOffset();
            throw new SourceMapException(
                    "its JSON is wrong or too large" + (position < 0 ? "" : ", at byte " + position));
        }
    }

    /** Reads an object up to its end. */
    private void map(int firstLine, int firstColumn, boolean mayHaveSections) throws IOException, SourceMapException {
        int firstSource = sources.size();
        boolean isVersion3 = false;
        boolean hasMappings = false;
        String sourceRoot = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("version")) {
                isVersion3 =
                        value == JsonToken.VALUE_NUMBER_INT && json.getText().equals("3");
            } else if (field.equals("sourceRoot") && value == JsonToken.VALUE_STRING) {
                sourceRoot = json.getText();
            } else if (field.equals("sources") && value == JsonToken.START_ARRAY && sources.size() == firstSource) {
                readSources();
            } else if (field.equals("mappings") && value == JsonToken.VALUE_STRING && !hasMappings) {
                hasMappings = true;
                mappings(new Mappings(map, firstSource, firstLine, firstColumn));
            } else if (field.equals("sections") && value == JsonToken.START_ARRAY && mayHaveSections) {
                hasMappings = true;
                sections();
            } else {
                json.skipChildren();
            }
        }
        if (!isVersion3 || !hasMappings) {
            throw new SourceMapException("it has no " + (isVersion3 ? "mappings" : "version 3"));
        }
        resolve(firstSource, sourceRoot);
    }

    private void sections() throws IOException, SourceMapException {
        int line = 0;
        int column = 0;
        while (json.nextToken() == JsonToken.START_OBJECT) {
            boolean hasOffset = false;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                if (field.equals("offset") && value == JsonToken.START_OBJECT) {
                    hasOffset = true;
                    line = 0;
                    column = 0;
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        String which = json.currentName();
                        int number = count(json.nextToken());
                        line = which.equals("line") ? number : line;
                        column = which.equals("column") ? number : column;
                    }
                } else if (field.equals("map") && value == JsonToken.START_OBJECT) {
                    if (!hasOffset) {
                        throw new SourceMapException("a section has no offset before its map");
                    }
                    map(line, column, false);
                } else {
                    json.skipChildren();
                }
            }
        }
    }

    private int count(@Nullable JsonToken value) throws IOException, SourceMapException {
        if (value != JsonToken.VALUE_NUMBER_INT || json.getIntValue() < 0) {
            throw new SourceMapException("the offset of a section is wrong");
        }
        return json.getIntValue();
    }

    private void readSources() throws IOException, SourceMapException {
        while (json.nextToken() != JsonToken.END_ARRAY) {
            boolean isText = json.currentToken() == JsonToken.VALUE_STRING;
            if (!isText && json.currentToken() != JsonToken.VALUE_NULL) {
                throw new SourceMapException("a source is not a text");
            }
            add(isText ? json.getText() : "");
        }
    }

    private void add(String source) throws SourceMapException {
        countCharacters(source);
        if (sources.size() == MAX_SOURCES) {
            throw new SourceMapException("it has more than " + MAX_SOURCES + " sources");
        }
        sources.add(source);
    }

    private void countCharacters(String source) throws SourceMapException {
        sourceCharacters += source.length();
        if (sourceCharacters > MAX_SOURCE_CHARACTERS) {
            throw new SourceMapException("its sources have too long names");
        }
    }

    /** Of the map that was read last; its field {@code sourceRoot} may have been behind the sources. */
    private void resolve(int firstSource, String sourceRoot) throws SourceMapException {
        String folder = sourceRoot.isEmpty() || sourceRoot.endsWith("/") ? sourceRoot : sourceRoot + "/";
        for (int i = firstSource; i < sources.size(); i++) {
            String source = sources.get(i);
            if (!source.isEmpty()) {
                sources.set(i, resolved.apply(folder + source));
                countCharacters(sources.get(i));
            }
        }
    }

    /** The text goes to the decoder in pieces, so that it is not copied to a String. */
    private void mappings(Mappings mappings) throws IOException, SourceMapException {
        SourceMapException[] failure = new SourceMapException[1];
        Writer writer = new Writer() {
            @Override
            public void write(char[] text, int from, int length) {
                if (failure[0] == null) {
                    try {
                        mappings.add(text, from, length);
                    } catch (SourceMapException e) {
                        failure[0] = e;
                    }
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        json.getText(writer);
        if (failure[0] != null) {
            throw failure[0];
        }
        mappings.end();
    }
}
