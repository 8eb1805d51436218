package dev.probestream.collector.internal.sourcemap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SourceUrlTest {
    @Test
    void scriptsAreNamedByPathOrUrl() {
        assertThat(SourceUrl.pathOf("/app/50%/a b.js")).contains("/app/50%/a b.js");
        assertThat(SourceUrl.pathOf("file:///app/a%20b.mjs?version=2#x")).contains("/app/a b.mjs");
        assertThat(SourceUrl.pathOf("node:fs")).isEmpty();
        assertThat(SourceUrl.pathOf("evalmachine.<anonymous>")).isEmpty();
    }

    @Test
    void referencesAreRelativeToTheFile() {
        assertThat(SourceUrl.resolve("/app/dist/a.js", "a.js.map")).isEqualTo("/app/dist/a.js.map");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "../src/./gr%C3%BC%C3%9Fe.ts?x"))
                .isEqualTo("/app/src/grüße.ts");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "../../../../etc/a")).isEqualTo("/etc/a");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "/maps/a.map")).isEqualTo("/maps/a.map");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "file:///maps/a.map")).isEqualTo("/maps/a.map");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "https://cdn.example/a.map"))
                .isEqualTo("https://cdn.example/a.map");
        assertThat(SourceUrl.resolve("/app/dist/a.js", "100%.map")).isEqualTo("/app/dist/100%.map");
        assertThat(SourceUrl.resolve("", "a.ts")).isEqualTo("a.ts");
        assertThat(SourceUrl.resolve("/a", "a".repeat(5000))).isEmpty();
    }

    @Test
    void dataIsInBase64OrEscaped() {
        assertThat(text("data:application/json;charset=utf-8;base64,eyJhIjoxfQ=="))
                .contains("{\"a\":1}");
        assertThat(text("data:application/json,%7B%22a%22:1%7D")).contains("{\"a\":1}");
        assertThat(text("data:application/json;base64,!"))
                .contains(""); // as browsers: other characters are passed over
        assertThat(text("data:application/json")).isEmpty();
        assertThat(text("a.map")).isEmpty();
    }

    private static Optional<String> text(String url) {
        return SourceUrl.data(url).map(data -> new String(data, StandardCharsets.UTF_8));
    }
}
