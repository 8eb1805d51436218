package dev.probestream.deploy.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Run by the build: writes the man pages and the completions of all commands. */
public final class ManualMain {
    private ManualMain() {}

    /**
     * @param arguments the folder to write to, the version, and the build's timestamp, from which the pages are dated: as
     *     ISO 8601 or in seconds since 1970, the two forms of project.build.outputTimestamp
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("usage: ManualMain FOLDER VERSION TIMESTAMP");
        }
        Path folder = Path.of(arguments[0]);
        Manual manual = new Manual(arguments[1], date(arguments[2]));
        for (var file : manual.files().entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.resolveSibling(""));
            Files.writeString(path, file.getValue());
        }
    }

    private static LocalDate date(String timestamp) {
        Instant moment =
                timestamp.matches("\\d+") ? Instant.ofEpochSecond(Long.parseLong(timestamp)) : Instant.parse(timestamp);
        return moment.atZone(ZoneOffset.UTC).toLocalDate();
    }
}
