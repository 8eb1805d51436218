package dev.probestream.query.report;

import java.util.List;

/**
 * A chapter of the report.
 *
 * @param id unique, of lower-case letters and '-'; the target of evidence links
 * @param explanation how to read it, one or two sentences
 */
public record Section(String id, String title, String explanation, List<ReportPart> parts) {
    public Section {
        parts = List.copyOf(parts);
    }
}
