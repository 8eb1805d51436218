package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.resolve.RunningProgram;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.Frame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program without symbols, whose debug file is elsewhere: its functions are probed and its frames have names. */
@KernelTest(since = "5.8")
class StrippedProgramTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        ElfFixture.needs("objcopy", "strip", "chroot");
        calls = CProgram.compile(folder, "bpf/calls", "-fno-omit-frame-pointer", "-Wl,--build-id=sha1");
    }

    @Test
    void functionsOfTheDebugFileAreProbedAndNamed() throws Exception {
        String program = calls.executable().toString();
        ElfFixture.run("objcopy", "--only-keep-debug", program, program + ".debug");
        ElfFixture.run("objcopy", "--strip-all", "--add-gnu-debuglink=" + program + ".debug", program);
        Path file = folder.resolve("stripped.avro");

        try (CProgram.Running running = calls.start()) {
            CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(running.pid())))
                    .probes(List.of(SpecParser.parse("uprobe:tick (n=arg1:s64) [ustack]")))
                    .ringSizeBytes(1 << 20)
                    .commandLine(List.of("test"))
                    .build();
            StopSignal stop = new StopSignal();
            try (Collector collector = Collector.open(request, stop);
                    FilePublisher publisher = FilePublisher.create(file)) {
                boolean[] done = {false};
                collector.run(publisher, progress -> {
                    if (!done[0]) {
                        done[0] = true;
                        try {
                            running.ask("repeat 3");
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        stop.raise();
                    }
                });
            }
        }

        Recorded recorded = Recorded.read(file);
        assertThat(recorded.of("tick")).hasSize(3);
        assertThat(recorded.stacks.values())
                .allSatisfy(stack -> assertThat(stack.getFrames())
                        .extracting(Frame::getSymbol)
                        .first()
                        .isEqualTo("tick"));
    }

    /** The debug file is only in the file system of the process. */
    @Test
    void theDebugFileOfAContainerIsFoundInItsFileSystem() throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        Path whole = ElfFixture.compile(folder, "functions.c", "whole", "-static", "-Wl,--build-id=sha1");
        Path program = root.resolve("program");
        ElfFixture.run("strip", "-o", program.toString(), whole.toString());
        try (ElfFile elf = ElfFile.open(whole)) {
            String id = elf.buildId().orElseThrow();
            Path debug = Files.createDirectories(root.resolve("usr/lib/debug/.build-id/" + id.substring(0, 2)))
                    .resolve(id.substring(2) + ".debug");
            ElfFixture.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
        }

        try (RunningProgram running = RunningProgram.start("chroot", root.toString(), "/program");
                Resolver resolver = new Resolver();
                ElfFile unstripped = ElfFile.open(whole)) {
            assertThat(resolver.resolve(SpecParser.parse("uprobe:hidden"), running.target()))
                    .singleElement()
                    .satisfies(match -> assertThat(match.locations())
                            .extracting(UprobeLocation::fileOffset)
                            .containsExactly(unstripped.fileOffset(
                                    unstripped.function("hidden").orElseThrow())));
            assertThat(resolver.warnings()).isEmpty();
        }
    }
}
