package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans that last until the next, of a library that is loaded while they are recorded. */
@KernelTest(since = "6.6")
class UntilNextLaterTest {
    @TempDir
    private Path folder;

    @Test
    void theLastOneIsOpenWhenItsThreadEnds() throws Exception {
        Path own = Files.createDirectory(folder.resolve("library"));
        CProgram compiled = CProgram.compile(own, "usdt/late", "-shared", "-fPIC", "-Wl,-soname,liblate.so");
        Path library =
                Files.move(compiled.executable(), own.resolve("liblate.so")).toRealPath();
        CProgram plugins = CProgram.compile(folder, "usdt/plugins", "-ldl");

        SmallRecording recording = SmallRecording.ofCommand(
                folder,
                false,
                List.of(plugins.executable().toString(), "5", library.toString()),
                "span:liblate:late_call(value=arg1) [untilnext]",
                "usdt:late:hit"); // for which the program waits

        assertThat(recording.recorded().of("late_call")).singleElement().satisfies(call -> {
            assertThat(call.kind()).isEqualTo(EventKind.OPEN_SPAN);
            assertThat(call.numbers()).containsExactly(5L);
        });
        assertThat(recording.recorded().losses).isEmpty();
    }
}
