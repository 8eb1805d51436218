package dev.probestream.cli.incidents;

import dev.probestream.cli.convert.ConvertCommand;
import dev.probestream.cli.report.PageFile;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.publish.RingPublisher;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.RecordingRange;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import dev.probestream.query.TimeRange;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.analysis.ReportAnalysis;
import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.recording.RecordingJoin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Takes the last recordings of a ring as an incident. The folder appears when it is complete. */
final class TakenIncident {
    private static final DateTimeFormatter ID =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int MAX_SLUG = 40;

    private final Path folder;
    private final String name;
    private final Duration before;
    private final Terminal terminal;

    TakenIncident(Path folder, String name, Duration before, Terminal terminal) {
        this.folder = folder;
        this.name = name;
        this.before = before;
        this.terminal = terminal;
    }

    Incident take() throws CommandException, IOException, ConversionException, QueryException {
        Instant now = Instant.now();
        String id = freeId(ID.format(now) + slug(name));
        Path part = PrivateFiles.createFolders(folder.resolve("." + id + ".part"));
        try {
            Path recording = part.resolve(IncidentFolder.RECORDING);
            RecordingJoin.join(link(part), recording);
            deleteLinks(part);
            RecordingExtent extent = RecordingExtent.of(recording);
            if (extent.events() == 0) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "cannot take an incident of " + folder
                                + ": nothing was recorded in that time; try a longer --before");
            }
            ReportContents report = report(recording);
            new PageFile(part.resolve(IncidentFolder.REPORT)).write(report);
            ConvertCommand.run(
                    List.of(recording), List.of(), part.resolve(IncidentFolder.TRACE), RecordingRange.ALL, terminal);
            Incident incident = new Incident(
                    id,
                    name,
                    now.toString(),
                    extent.from().toString(),
                    extent.to().toString(),
                    extent.host(),
                    extent.events(),
                    Files.size(recording),
                    report.findings().stream()
                            .map(finding ->
                                    new Incident.Cause(finding.severity().toString(), finding.title()))
                            .toList(),
                    "Probestream " + Version.current());
            IncidentFolder.describe(part, incident);
            Files.move(part, folder.resolve(id));
            return incident;
        } finally {
            deleteTree(part);
        }
    }

    private String freeId(String wanted) {
        String id = wanted;
        for (int number = 2; Files.exists(folder.resolve(id)); number++) {
            id = wanted + "-" + number;
        }
        return id;
    }

    /** What is safe in the name of a file. */
    private static String slug(String name) {
        String words =
                name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return words.isEmpty() ? "" : "-" + words.substring(0, Math.min(MAX_SLUG, words.length()));
    }

    /** Links to the recordings that are wanted: {@code watch} may delete them meanwhile. */
    private List<Path> link(Path part) throws CommandException, IOException {
        List<Path> links = new ArrayList<>();
        for (Path recording : wanted()) {
            Path link = part.resolve(recording.getFileName().toString());
            try {
                PrivateFiles.link(recording, link);
            } catch (NoSuchFileException e) {
                continue; // it became too old
            }
            links.add(link);
        }
        return links;
    }

    /** The last ones, counted from the end of what was recorded: that may have been long ago. */
    private List<Path> wanted() throws CommandException, IOException {
        Path ring = IncidentFolder.ring(folder);
        List<Path> all = Files.isDirectory(ring) ? RingPublisher.recordings(ring) : List.of();
        if (all.isEmpty()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot take an incident of " + folder + ": there is no recording in " + ring
                            + "; start 'probestream watch -o " + folder + "', and take it while or after that runs");
        }
        Optional<Instant> end = writtenAt(all.get(all.size() - 1));
        List<Path> wanted = new ArrayList<>();
        for (Path recording : all) {
            Optional<Instant> at = writtenAt(recording);
            if (at.isPresent() && (end.isEmpty() || !at.get().isBefore(end.get().minus(before)))) {
                wanted.add(recording);
            }
        }
        return wanted;
    }

    private static Optional<Instant> writtenAt(Path recording) throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(recording).toInstant());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private ReportContents report(Path recording) throws QueryException {
        try (Recordings recordings = Recordings.open(
                List.of(recording),
                new TimeRange(Optional.empty(), Optional.empty()),
                Limits.standard(),
                (pass, events) -> terminal.progress("reading: " + Quantity.count(events, "event")))) {
            terminal.progress("analyzing");
            return ReportAnalysis.of(recordings, Version.current(), Instant.now());
        }
    }

    private static void deleteLinks(Path part) throws IOException {
        for (Path link : RingPublisher.recordings(part)) {
            Files.delete(link);
        }
    }

    private static void deleteTree(Path part) throws IOException {
        if (!Files.exists(part)) {
            return;
        }
        try (var files = Files.list(part)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.delete(part);
    }
}
