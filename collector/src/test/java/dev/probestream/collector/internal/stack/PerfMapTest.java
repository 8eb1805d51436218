package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.probestream.collector.internal.event.Warnings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The perf map of our own process, which no JVM writes by itself. */
class PerfMapTest {
    private static final int SELF = (int) ProcessHandle.current().pid();

    @TempDir
    Path folder;

    private final Path file = Path.of("/tmp/perf-" + SELF + ".map");
    private final Warnings warnings = new Warnings();
    private final PerfMap map = new PerfMap(new ProcessView(SELF, System::nanoTime, Optional.empty()), warnings);

    /** Before a test as well: a process that had our number before may have left its file. */
    @BeforeEach
    @AfterEach
    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    @Test
    void lastEntryOverAnAddressHolds() throws Exception {
        Files.writeString(file, "1000 100 JS:~old a.js:1:1\n1040 20 JS:*new a.js:1:1\n");

        assertThat(map.nameOf(0x1000)).isEqualTo("JS:~old a.js:1:1");
        assertThat(map.nameOf(0x1040)).isEqualTo("JS:*new a.js:1:1");
    }

    @Test
    void whatIsAppendedIsReadAfterARefreshOnly() throws Exception {
        Files.writeString(file, "1000 100 first\n2000 1");
        assertThat(map.nameOf(0x1000)).isEqualTo("first");
        Files.writeString(file, "0 second\n", StandardOpenOption.APPEND);
        assertThat(map.nameOf(0x2000)).isEmpty();
        map.refresh();

        assertThat(map.nameOf(0x2000)).isEqualTo("second");
        assertThat(map.nameOf(0x1000)).isEqualTo("first");
    }

    @Test
    void fileWrittenAnewIsReadFromItsStart() throws Exception {
        Files.writeString(file, "1000 100 first\n2000 10 second\n");
        assertThat(map.nameOf(0x2000)).isEqualTo("second");
        Files.writeString(file, "3000 10 third\n");
        map.refresh();

        assertThat(map.nameOf(0x3000)).isEqualTo("third");
        assertThat(map.nameOf(0x2000)).isEmpty();
    }

    @Test
    void namesStayWhenTheFileHasGone() throws Exception {
        Files.writeString(file, "1000 100 first\n");
        assertThat(map.nameOf(0x1000)).isEqualTo("first");
        Files.delete(file);
        map.refresh();

        assertThat(map.nameOf(0x1000)).isEqualTo("first");
        assertThat(warnings.take()).isEmpty();
    }

    @Test
    void missingFileGivesNoNamesAndNoComplaint() {
        assertThat(map.nameOf(0x1000)).isEmpty();
        assertThat(warnings.take()).isEmpty();
    }

    @Test
    void fileOfAnEarlierProcessWithTheSameNumberIsNotRead() throws Exception {
        Files.writeString(file, "1000 100 first\n");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(1))));

        assertThat(map.nameOf(0x1000)).isEmpty();
        assertThat(warnings.take())
                .containsExactly(file + " of process " + SELF
                        + " is not read: it was written before that process started, by another process");
    }

    @Test
    void fileOfAnotherUserIsNotRead() throws Exception {
        assumeThat(Files.getOwner(Path.of("/proc/self")).getName()).isEqualTo("root");
        Files.writeString(file, "1000 100 first\n");
        Files.setAttribute(file, "unix:uid", 4711);

        assertThat(map.nameOf(0x1000)).isEmpty();
        assertThat(warnings.take()).singleElement().asString().contains("belongs neither to");
    }

    @Test
    void fileLongerThanAPieceIsReadWhole() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 100_000; i++) {
            lines.append(Long.toHexString(i * 0x1000L))
                    .append(" 100 JS:~f")
                    .append(i)
                    .append(" /app/x.js:1:1\n");
        }
        Files.writeString(file, lines + "2".repeat(3 << 20) + "\n" + "500 10 last\n");

        assertThat(map.nameOf(0x1000)).isEqualTo("JS:~f1 /app/x.js:1:1");
        assertThat(map.nameOf(100_000 * 0x1000L)).isEqualTo("JS:~f100000 /app/x.js:1:1");
        assertThat(map.nameOf(0x500)).isEqualTo("last");
    }

    @Test
    void linkOrPipeOfAStrangerIsNotOpened() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "1000 100 secret\n");
        Files.createSymbolicLink(file, secret);
        assertThat(map.nameOf(0x1000)).isEmpty();
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        map.refresh();

        assertThat(map.nameOf(0x1000)).isEmpty();
    }
}
