package dev.probestream.deploy.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The manual of all commands, as the build writes it. */
record GeneratedManual(Path folder) {
    static GeneratedManual in(Path folder) throws IOException {
        ManualMain.main(new String[] {folder.toString(), "1.2.3", "2026-11-21T00:00:00Z"});
        return new GeneratedManual(folder);
    }

    List<Path> pages() throws IOException {
        try (Stream<Path> pages = Files.list(folder.resolve("man1"))) {
            return pages.sorted().toList();
        }
    }

    Path completion(String name) {
        return folder.resolve("completions").resolve(name);
    }
}
