package dev.probestream.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoFolderTest {
    @TempDir
    private Path folder;

    @Test
    void aFinishedTraceGetsItsPlainName() throws IOException {
        try (DemoFolder demo = DemoFolder.open(folder.resolve("demo"))) {
            Path made = file(demo.sinkFolder(SinkFormat.PERFETTO).resolve("7/20261121T120000Z_c7-p000-0-1.pftrace"));

            demo.place(SinkFormat.PERFETTO, List.of(made));
        }

        assertThat(folder.resolve("demo/trace.pftrace")).hasContent("content");
        assertThat(folder.resolve("demo/.making")).doesNotExist();
    }

    @Test
    void twoSegmentsAreNotTakenForOne() throws IOException {
        try (DemoFolder demo = DemoFolder.open(folder)) {
            Path made = demo.sinkFolder(SinkFormat.CHROME);

            assertThatThrownBy(() -> demo.place(SinkFormat.CHROME, List.of(made.resolve("a"), made.resolve("b"))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("wrote 2 files");
        }
    }

    @Test
    void tablesComeWithoutTheSinksOwnNotes() throws IOException {
        try (DemoFolder demo = DemoFolder.open(folder)) {
            file(demo.sinkFolder(SinkFormat.PARQUET).resolve(".probestream/sink.json"));
            file(demo.sinkFolder(SinkFormat.PARQUET).resolve("spans/day=2026-11-21/hour=12/a.parquet"));

            demo.place(SinkFormat.PARQUET, List.of());
        }

        assertThat(folder.resolve("parquet/spans/day=2026-11-21/hour=12/a.parquet"))
                .exists();
        assertThat(folder.resolve("parquet/.probestream")).doesNotExist();
    }

    @Test
    void aFileInTheWayIsSaid() throws IOException {
        Path taken = file(folder.resolve("taken"));

        assertThatThrownBy(() -> DemoFolder.open(taken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot write to the folder " + taken)
                .hasMessageContaining("-o");
    }

    private static Path file(Path path) throws IOException {
        Files.createDirectories(path.getParent());
        return Files.writeString(path, "content");
    }
}
