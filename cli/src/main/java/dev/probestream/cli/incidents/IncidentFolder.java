package dev.probestream.cli.incidents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The names of what is in a folder of incidents: the ring of {@code watch}, and a folder for each incident. */
public final class IncidentFolder {
    /** In an incident's folder. */
    static final String RECORDING = "recording.avro";

    static final String REPORT = "report.html";
    static final String TRACE = "trace.pftrace";
    private static final String DESCRIPTION = "incident.json";

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    private IncidentFolder() {}

    /** Where {@code watch} keeps its recordings. */
    public static Path ring(Path folder) {
        return folder.resolve("ring");
    }

    /** Writes what an incident is. */
    static void describe(Path incidentFolder, Incident incident) throws IOException {
        try (BufferedWriter out = PrivateFiles.replaceAsText(incidentFolder.resolve(DESCRIPTION))) {
            out.write(JSON.writeValueAsString(incident));
            out.newLine();
        }
    }

    /** The incidents of a folder, the oldest first; folders without a description are none. */
    static List<Incident> incidents(Path folder) throws CommandException, IOException {
        List<Path> descriptions;
        try (var children = Files.list(folder)) {
            descriptions = children.filter(
                            child -> !child.getFileName().toString().startsWith("."))
                    .map(child -> child.resolve(DESCRIPTION))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
        List<Incident> incidents = new ArrayList<>();
        for (Path description : descriptions) {
            incidents.add(read(description));
        }
        return incidents;
    }

    private static Incident read(Path description) throws CommandException, IOException {
        try {
            return JSON.readValue(description.toFile(), Incident.class);
        } catch (JsonProcessingException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot read " + description + ": " + e.getOriginalMessage()
                            + "; it was changed or damaged: delete it, and the incident is not listed",
                    e);
        }
    }

    /** The same as text, a JSON array. */
    static String json(List<Incident> incidents) throws IOException {
        return JSON.writeValueAsString(incidents);
    }
}
