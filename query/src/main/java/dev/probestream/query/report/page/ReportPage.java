package dev.probestream.query.report.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.probestream.query.report.ReportContents;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A report as one HTML page that works from a file and loads nothing.
 *
 * <p>Its content security policy allows the page's own scripts and style by their hashes and nothing else: recorded
 * data can neither run nor be sent anywhere, even if a bug made it markup.
 */
public final class ReportPage {
    private static final Pattern MARKER = Pattern.compile("@([A-Z]+)@");
    private static final List<String> SCRIPTS =
            List.of("dom.js", "numbers.js", "plots.js", "flame.js", "table.js", "parts.js", "page.js");

    private ReportPage() {}

    /**
     * Writes the page, in UTF-8 if {@code out} encodes.
     *
     * @param out stays open
     * @throws IOException of {@code out}
     */
    public static void write(ReportContents contents, Appendable out) throws IOException {
        Inline style = Inline.resources("", List.of("page.css"), "");
        Inline library = Inline.resources("", List.of("echarts.min.js"), "");
        Inline script = Inline.resources("(() => {\n'use strict';\n", SCRIPTS, "})();\n");
        Map<String, String> pieces = Map.of(
                "POLICY", policy(style, library, script),
                "STYLE", style.text(),
                "REPORT", json(contents),
                "ECHARTS", library.text(),
                "SCRIPT", script.text());
        String template = Inline.resources("", List.of("page.html"), "").text();
        int written = 0;
        for (Matcher marker = MARKER.matcher(template); marker.find(); written = marker.end()) {
            out.append(template, written, marker.start());
            out.append(pieces.getOrDefault(marker.group(1), marker.group()));
        }
        out.append(template, written, template.length());
    }

    private static String policy(Inline style, Inline library, Inline script) {
        return "default-src 'none'; script-src " + library.source() + " " + script.source() + "; style-src "
                + style.source() + "; base-uri 'none'; form-action 'none'";
    }

    private static String json(ReportContents contents) {
        try {
            return ScriptJson.of(contents);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the report cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }
}
