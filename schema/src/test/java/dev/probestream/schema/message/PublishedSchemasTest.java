package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The schemas beside the code are what messages are written with: other programs read topics by them. */
class PublishedSchemasTest {
    static Iterable<Schema> schemas() {
        return MessageSchemas.ALL;
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void publishedSchemaIsTheWrittenOne(Schema schema) throws IOException {
        String wanted = SchemaFormatter.format("json/pretty", withoutJava(schema)) + "\n";
        Path copy = Files.createDirectories(Path.of("target", "published")).resolve(schema.getName() + ".avsc");
        Files.writeString(copy, wanted);

        try (InputStream published =
                MessageSchemas.class.getResourceAsStream("/dev/probestream/schema/" + schema.getName() + ".avsc")) {
            assertThat(published)
                    .as(
                            "src/main/resources/dev/probestream/schema/%s.avsc; its new content is in %s",
                            schema.getName(), copy.toAbsolutePath())
                    .isNotNull();
            String text = new String(published.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text).isEqualTo(wanted);
            assertThat(SingleObject.fingerprint(new Schema.Parser().parse(text)))
                    .isEqualTo(MessageSchemas.fingerprint(schema));
        }
    }

    /** The generator notes which Java type a string becomes; other readers do not need that. */
    private static Schema withoutJava(Schema schema) {
        return new Schema.Parser().parse(schema.toString().replace(",\"avro.java.string\":\"String\"", ""));
    }
}
