package dev.probestream.query.report.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * JSON for an element {@code script}: without a {@code <} no text in it can end the element or start a comment
 * (HTML Standard, "Restrictions for contents of script elements").
 */
final class ScriptJson {
    private ScriptJson() {}

    static String of(Object value) throws JsonProcessingException {
        // ASCII only, so that half a surrogate pair at the end of a truncated text can be encoded.
        ObjectMapper mapper =
                JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        mapper.getFactory().setCharacterEscapes(new NoMarkup());
        return mapper.writeValueAsString(value);
    }

    /** The standard escapes, and escapes for characters with a meaning in HTML. */
    private static final class NoMarkup extends CharacterEscapes {
        @Serial
        private static final long serialVersionUID = 1;

        private final int[] escapes = standardAsciiEscapesForJSON();

        NoMarkup() {
            for (char character : new char[] {'<', '>', '&'}) {
                escapes[character] = ESCAPE_STANDARD; // \\u003C and the like
            }
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return escapes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return null;
        }
    }
}
