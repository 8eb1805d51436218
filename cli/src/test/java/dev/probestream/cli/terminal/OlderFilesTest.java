package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OlderFilesTest {
    @TempDir
    private Path folder;

    @Test
    void anOlderFileIsKeptUnderAnotherName() throws Exception {
        OutputFile output = new OutputFile(write("a.avro", "first"), folder.resolve("a.avro"));
        write("a.avro.old", "even older");

        OlderFiles.keep(output);

        assertThat(folder.resolve("a.avro")).doesNotExist();
        assertThat(folder.resolve("a.avro.old")).hasContent("first");
    }

    @Test
    void theRecordingBesideATraceIsKeptToo() throws Exception {
        OlderFiles.keep(new OutputFile(write("a.pftrace", "trace"), write("a.pftrace.avro", "recording")));

        assertThat(folder.resolve("a.pftrace.old")).hasContent("trace");
        assertThat(folder.resolve("a.pftrace.avro.old")).hasContent("recording");
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }
}
