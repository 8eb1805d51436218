package dev.probestream.query.report.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.query.report.ReportContents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page as text: what a browser must not have to be trusted with. */
class ReportPageTest {
    private static final Pattern ELEMENT =
            Pattern.compile("<(script|style)([^>]*)>(.*?)</(?:script|style)>", Pattern.DOTALL);

    @Test
    void whatWasRecordedIsJsonWithoutMarkup() throws Exception {
        ReportContents contents = SampleReport.hostile(SampleReport.MARKUP);
        String block = elements(page(contents)).stream()
                .filter(element -> element.group(2).contains("application/json"))
                .map(element -> element.group(3))
                .findFirst()
                .orElseThrow();

        assertThat(block).doesNotContain("<", ">", "&");
        JsonNode read = new ObjectMapper().readTree(block);
        assertThat(read.path("title").asText()).isEqualTo(SampleReport.MARKUP);
        assertThat(read.path("sections")
                        .path(0)
                        .path("parts")
                        .path(4)
                        .path("kind")
                        .asText())
                .isEqualTo("flame");
        assertThat(read.path("captures").path(0).path("isWhole").isBoolean()).isTrue();
    }

    @Test
    void itsPolicyNamesItsScriptsAndItsStyle() throws Exception {
        String page = page(SampleReport.incident());
        String policy =
                page.substring(page.indexOf("content=\"default-src"), page.indexOf("\">", page.indexOf("default-src")));

        assertThat(policy).startsWith("content=\"default-src 'none'; ").doesNotContain("unsafe", "http", "*", "data:");
        for (MatchResult element : elements(page)) {
            if (!element.group(2).contains("application/json")) {
                assertThat(policy).contains("'sha256-" + hash(element.group(3)) + "'");
            }
        }
    }

    @Test
    void theSameContentsGiveTheSamePage() throws Exception {
        assertThat(page(SampleReport.incident())).isEqualTo(page(SampleReport.incident()));
    }

    @Test
    void whatLooksLikeAMarkerIsText() throws Exception {
        assertThat(page(SampleReport.hostile("@SCRIPT@ $1 \\0"))).contains("\"@SCRIPT@ $1 \\\\0\"");
    }

    @Test
    void theLibrarySaysWhoseItIs() throws Exception {
        assertThat(page(SampleReport.empty())).contains("Licensed to the Apache Software Foundation (ASF)");
    }

    private static List<MatchResult> elements(String page) {
        return ELEMENT.matcher(page).results().toList();
    }

    private static String hash(String text) throws Exception {
        return Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String page(ReportContents contents) throws IOException {
        StringBuilder page = new StringBuilder();
        ReportPage.write(contents, page);
        return page.toString();
    }
}
