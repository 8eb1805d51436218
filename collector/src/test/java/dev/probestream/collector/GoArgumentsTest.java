package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.GoProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions of a real Go program, in Go's registers and on Go's stack. */
@KernelTest(since = "6.6")
class GoArgumentsTest {
    @TempDir
    static Path folder;

    private static CProgram conventions;

    @BeforeAll
    static void compile() throws Exception {
        conventions = GoProgram.compile(folder, "conventions", "main.go", "stack_amd64.s", "go.mod");
    }

    private interface Requests {
        void of(CProgram.Running program) throws Exception;
    }

    private static Recorded record(List<String> specs, Requests requests) throws Exception {
        Path file = folder.resolve("go.avro");
        StopSignal stop = new StopSignal();
        boolean[] done = {false};
        try (CProgram.Running program = conventions.start()) {
            CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                    .probes(specs.stream().map(SpecParser::parse).toList())
                    .ringSizeBytes(1 << 20)
                    .commandLine(List.of("test"))
                    .build();
            try (Collector collector = Collector.open(request, stop);
                    FilePublisher publisher = FilePublisher.create(file)) {
                collector.run(publisher, progress -> {
                    if (!done[0]) {
                        done[0] = true;
                        try {
                            requests.of(program);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        stop.raise();
                    }
                });
            }
        }
        return Recorded.read(file);
    }

    @Test
    void stringsAndNumbersComeFromRegisters() throws Exception {
        Recorded recorded = record(
                Stream.of(
                                "(text=arg1:gostr, n=arg3, bytes=arg4:gostr[3], capacity=arg6, small=arg7:s8)",
                                "(text=arg1:str[arg2], chars=arg1:char[5])")
                        .map(arguments -> "uprobe:main.inRegisters" + arguments)
                        .toList(),
                program -> program.ask("words"));

        assertThat(recorded.of("main.inRegisters"))
                .extracting(Recorded.Kept::strings)
                .containsExactlyInAnyOrder(List.of("hello", "sli\u2026"), List.of("hello", "hello"));
        assertThat(recorded.of("main.inRegisters").stream()
                        .flatMap(event -> event.numbers().stream())
                        .toList())
                .contains(42L, -7L);
        assertThat(recorded.events).allMatch(event -> event.unavailable() == 0);
    }

    @Test
    void aStringInMemoryIsPointerAndLength() throws Exception {
        Recorded recorded = record(
                List.of("uprobe:main.byPointer(id=*arg1:s64, url=*arg1:gostr@8) /*arg1:gostr@8 ^= \"/users/\"/"),
                program -> program.ask("words"));

        assertThat(recorded.events).extracting(Recorded.Kept::strings).containsExactly(List.of("/users/9"));
        assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(9L));
    }

    @Test
    void functionsInAssemblyHaveTheirArgumentsOnTheStack() throws Exception {
        Recorded recorded = record(
                List.of("uprobe:main.onStack.abi0(text=arg1:gostr, n=arg3) /arg3 == 11/"),
                program -> program.ask("words"));

        assertThat(recorded.events).extracting(Recorded.Kept::strings).containsExactly(List.of("assembly"));
        assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(11L));
    }

    @Test
    void aFilterPassesStringsThatAreNotTerminated() throws Exception {
        Recorded recorded = record(
                List.of("uprobe:main.inRegisters(text=arg1:gostr) /text == \"abc\" || text ^= \"long\"/"), program -> {
                    for (String text : List.of("abc", "abcd", "ab", "longer", "lon", "")) {
                        assertThat(program.ask("say " + text)).isEqualTo(Integer.toString(2 * text.length()));
                    }
                });

        assertThat(recorded.events).extracting(event -> event.strings().get(0)).containsExactly("abc", "longer");
    }
}
