package dev.probestream.cli.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * All findings, in the order in which a person reads them.
 *
 * @param findings what was found, feature by feature
 */
public record DoctorReport(List<CheckResult> findings) {
    private static final int FEATURE_COLUMNS = 24;

    /** Makes the list its own. */
    public DoctorReport {
        findings = List.copyOf(findings);
    }

    /** Whether nothing that recording needs is missing. */
    public boolean recordingIsPossible() {
        return findings.stream().noneMatch(finding -> finding.status() == CheckResult.Status.MISSING);
    }

    /** One line per finding, the remedy on a line of its own, and a last line that sums up. */
    public void printText(PrintWriter out) {
        for (CheckResult finding : findings) {
            out.printf("%-8s %-" + FEATURE_COLUMNS + "s %s%n", finding.status(), finding.feature(), finding.found());
            if (!finding.remedy().isEmpty()) {
                out.printf("%-8s %-" + FEATURE_COLUMNS + "s -> %s%n", "", "", finding.remedy());
            }
        }
        long missing = count(CheckResult.Status.MISSING);
        out.println(
                missing == 0
                        ? "Recording is possible here (" + count(CheckResult.Status.LIMITED) + " of " + findings.size()
                                + " features limited)."
                        : "Recording is not possible here: " + missing + " of " + findings.size()
                                + " features missing.");
        out.flush();
    }

    /** One object: {@code recordingIsPossible} and {@code findings}, each with feature, status, found and remedy. */
    public void printJson(PrintWriter out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeBooleanField("recordingIsPossible", recordingIsPossible());
            json.writeArrayFieldStart("findings");
            for (CheckResult finding : findings) {
                json.writeStartObject();
                json.writeStringField("feature", finding.feature());
                json.writeStringField("status", finding.status().name().toLowerCase(Locale.ROOT));
                json.writeStringField("found", finding.found());
                json.writeStringField("remedy", finding.remedy());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw(System.lineSeparator());
        }
    }

    private long count(CheckResult.Status status) {
        return findings.stream().filter(finding -> finding.status() == status).count();
    }
}
