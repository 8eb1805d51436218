package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.probestream.convert.chrome.ChromeWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** JSON events into a Chrome trace, as they are. */
public final class JsonToChrome {
    /** Text stays raw: an escaped surrogate pair is fatal in some viewers. Any other value becomes text. */
    private static final ObjectWriter JSON = new JsonMapper(new JsonFactory()).writer();

    private final ChromeWriter writer;

    public JsonToChrome(ChromeWriter writer) {
        this.writer = writer;
    }

    public void event(JsonEvent event) throws IOException {
        // By way of a String: half a surrogate pair becomes '?', where Jackson's own UTF-8 refuses it.
        writer.append(JSON.writeValueAsString(event.members()).getBytes(StandardCharsets.UTF_8));
    }
}
