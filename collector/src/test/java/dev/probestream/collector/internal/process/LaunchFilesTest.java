package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchFilesTest {
    @TempDir
    Path folder;

    private Path library = Path.of("");
    private Path program = Path.of("");
    private Path trace = Path.of("");

    @BeforeEach
    void compile() throws Exception {
        folder = folder.toRealPath();
        trace = folder.resolve("trace");
        library = CProgram.compile(folder, "usdt/loaded", "-shared", "-fPIC", "-Wl,-soname,libloaded.so")
                .executable();
        Files.createSymbolicLink(folder.resolve("libloaded.so"), library);
        program = CProgram.compile(folder, "usdt/hasty", "-Wl,--no-as-needed", library.toString())
                .executable();
    }

    private ProcessBuilder like(String variable, Path value) {
        ProcessBuilder builder = new ProcessBuilder(program.toString());
        builder.environment().put("TRACE", trace.toString());
        builder.environment().put(variable, value.toString());
        return builder;
    }

    @Test
    void librariesAreThoseTheLinkerWouldLoadAndNoCodeOfTheirsRuns() throws Exception {
        ProcessBuilder like = like("LD_LIBRARY_PATH", folder);

        List<Path> files = LaunchFiles.of(program, like);

        assertThat(files).startsWith(program).contains(library).doesNotHaveDuplicates();
        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .anyMatch(name -> name.startsWith("libc."))
                .anyMatch(name -> name.startsWith("ld-"));
        assertThat(trace).doesNotExist();
        assertThat(like.start().waitFor()).isZero();
        assertThat(trace).exists();
    }

    @Test
    void settingsThatRunOthersCodeDoNotReachTheLinker() {
        LaunchFiles.of(program, like("LD_AUDIT", library));

        assertThat(trace).doesNotExist();
    }

    @Test
    void librariesThatCannotBeFoundAreLeftOut() {
        assertThat(LaunchFiles.of(program, like("LANG", Path.of("C"))))
                .startsWith(program)
                .doesNotContain(library);
    }

    @Test
    void programWithoutALinkerHasOnlyItself() throws Exception {
        Path linked = CProgram.compile(folder, "usdt/plugins", "-static").executable();
        Path script = Files.writeString(folder.resolve("script"), "#!/bin/sh\n");

        assertThat(LaunchFiles.of(linked, new ProcessBuilder())).containsExactly(linked);
        assertThat(LaunchFiles.of(script, new ProcessBuilder())).containsExactly(script);
    }

    @Test
    void javaLauncherHasItsVirtualMachine() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java").toRealPath();

        assertThat(LaunchFiles.of(java, new ProcessBuilder()))
                .contains(java.resolveSibling("../lib/server/libjvm.so").toRealPath());
    }
}
