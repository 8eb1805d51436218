package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OlderFilesTest {
    @TempDir
    private Path folder;

    private final OlderFiles older = new OlderFiles();

    @Test
    void anOlderFileIsKeptUnderAnotherName() throws Exception {
        OutputFile output = new OutputFile(write("a.avro", "first"), folder.resolve("a.avro"));
        write("a.avro.old", "even older");

        older.keep(output);

        assertThat(folder.resolve("a.avro")).doesNotExist();
        assertThat(folder.resolve("a.avro.old")).hasContent("first");
    }

    @Test
    void whatWasMovedIsPutBack() throws Exception {
        OutputFile output = new OutputFile(write("a.pftrace", "trace"), write("a.pftrace.avro", "recording"));
        older.keep(output);
        write("a.pftrace.avro", "begun, but nothing was recorded");

        older.putBack(output);

        assertThat(folder.resolve("a.pftrace")).hasContent("trace");
        assertThat(folder.resolve("a.pftrace.avro")).hasContent("recording");
    }

    @Test
    void anOldFileOfAnEarlierRunIsNotPutBack() throws Exception {
        write("a.avro.old", "earlier");
        OutputFile output = new OutputFile(folder.resolve("a.avro"), folder.resolve("a.avro"));
        older.keep(output);
        write("a.avro", "begun, but nothing was recorded");

        older.putBack(output);

        assertThat(folder.resolve("a.avro")).doesNotExist();
        assertThat(folder.resolve("a.avro.old")).hasContent("earlier");
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }
}
