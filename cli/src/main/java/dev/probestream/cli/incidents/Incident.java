package dev.probestream.cli.incidents;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * What is known of an incident, as its {@code incident.json} has it. Times are RFC 3339, UTC.
 *
 * @param id the name of its folder
 * @param name as it was given; may be empty
 * @param takenAt when it was taken
 * @param from the first event's time
 * @param to the last event's end
 * @param host the name of the machine
 * @param events how many the recording has
 * @param bytes size of the recording
 * @param findings of the report, the worst first
 * @param program that took it
 */
record Incident(
        @JsonProperty("id") String id,
        @JsonProperty("name") String name,
        @JsonProperty("takenAt") String takenAt,
        @JsonProperty("from") String from,
        @JsonProperty("to") String to,
        @JsonProperty("host") String host,
        @JsonProperty("events") long events,
        @JsonProperty("bytes") long bytes,
        @JsonProperty("findings") List<Cause> findings,
        @JsonProperty("program") String program) {
    /**
     * A finding, in short.
     *
     * @param severity HIGH, MEDIUM or LOW
     */
    record Cause(
            @JsonProperty("severity") String severity,
            @JsonProperty("title") String title) {}
}
