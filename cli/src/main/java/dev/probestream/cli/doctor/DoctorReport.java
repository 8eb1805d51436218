package dev.probestream.cli.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * The results of all checks, in the order of the output.
 *
 * @param results one per check
 */
record DoctorReport(List<CheckResult> results) {
    private static final int FEATURE_COLUMNS = 24;

    /** Copies the list. */
    public DoctorReport {
        results = List.copyOf(results);
    }

    /** Whether no required feature is missing. */
    public boolean recordingIsPossible() {
        return results.stream().noneMatch(result -> result.status() == CheckResult.Status.MISSING);
    }

    /** One line per result, the remedy on a line of its own, and a last line that sums up. */
    public void printText(PrintWriter out) {
        for (CheckResult result : results) {
            out.printf("%-8s %-" + FEATURE_COLUMNS + "s %s%n", result.status(), result.feature(), result.found());
            if (!result.remedy().isEmpty()) {
                out.printf("%-8s %-" + FEATURE_COLUMNS + "s -> %s%n", "", "", result.remedy());
            }
        }
        long missing = count(CheckResult.Status.MISSING);
        out.println(
                missing == 0
                        ? "Recording is possible here (" + count(CheckResult.Status.LIMITED) + " of " + results.size()
                                + " features limited)."
                        : "Recording is not possible here: " + missing + " of " + results.size()
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
            for (CheckResult result : results) {
                json.writeStartObject();
                json.writeStringField("feature", result.feature());
                json.writeStringField("status", result.status().name().toLowerCase(Locale.ROOT));
                json.writeStringField("found", result.found());
                json.writeStringField("remedy", result.remedy());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw(System.lineSeparator());
        }
    }

    private long count(CheckResult.Status status) {
        return results.stream().filter(result -> result.status() == status).count();
    }
}
