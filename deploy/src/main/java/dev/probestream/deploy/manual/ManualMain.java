package dev.probestream.deploy.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;

/** Run by the build: writes the man pages and the completions of all commands. */
public final class ManualMain {
    private ManualMain() {}

    /** @param arguments the folder to write to, the version, and the build's timestamp, from which the pages are dated */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("usage: ManualMain FOLDER VERSION TIMESTAMP");
        }
        Path folder = Path.of(arguments[0]);
        Manual manual = new Manual(
                arguments[1], Instant.parse(arguments[2]).atZone(ZoneOffset.UTC).toLocalDate());
        for (var file : manual.files().entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }
}
