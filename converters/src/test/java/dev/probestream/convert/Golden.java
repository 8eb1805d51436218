package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares what was made with what is kept under src/test/resources/goldens. */
final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/goldens");

    private Golden() {}

    /** With {@code -Dgoldens=write} it writes the file instead: look at the diff before you commit it. */
    static void assertMatches(String name, String made) throws IOException {
        Path golden = FOLDER.resolve(name);
        if ("write".equals(System.getProperty("goldens"))) {
            Files.writeString(golden, made);
        }
        assertThat(made).isEqualTo(Files.readString(golden));
    }
}
