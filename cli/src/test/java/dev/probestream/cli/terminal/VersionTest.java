package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionTest {
    private static final String COMMIT = "3c47ee5aa5a0f1e5a2b3c4d5e6f708192a3b4c5d";

    @Test
    void verboseTellsTheBuildAndWhatItRunsOn() throws Exception {
        String release = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
        for (List<String> arguments : List.of(List.of("--version", "--verbose"), List.of("--verbose", "-V"))) {
            CommandRun run = CommandRun.run(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).isZero();
            assertThat(run.out().lines())
                    .hasSize(7)
                    .satisfiesExactly(
                            line -> assertThat(line).isEqualTo("probestream " + Version.current()),
                            line -> assertThat(line).startsWith("build       "),
                            line -> assertThat(line).startsWith("commit      "),
                            line -> assertThat(line).isEqualTo("format      3.0"),
                            line -> assertThat(line)
                                    .startsWith("kernel      Linux " + release + " ")
                                    .endsWith(" " + System.getProperty("os.arch")),
                            line -> assertThat(line)
                                    .isEqualTo("Java        " + Runtime.version() + ", "
                                            + System.getProperty("java.vendor") + ", "
                                            + System.getProperty("java.home")),
                            line -> assertThat(line).startsWith("libc        ").contains(glibcVersion()));
        }
    }

    @Test
    void versionAloneHasTwoLines() throws Exception {
        CommandRun run = CommandRun.run("--version");
        assertThat(run.out()).isEqualTo("probestream " + Version.current() + "\nJava " + Runtime.version() + "\n");
    }

    @Test
    void verboseAloneIsWrongUsage() throws Exception {
        CommandRun run = CommandRun.run("--verbose");
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.value());
        assertThat(run.said()).first().isEqualTo("probestream: no command given; --verbose is for --version");
    }

    @Test
    void theCommitIsUnknownInASourceArchiveAndMarkedInAChangedTree() {
        assertThat(VersionDetails.commit(build("${git.commit.id}", "${git.dirty}")))
                .isEqualTo("unknown");
        assertThat(VersionDetails.commit(new Attributes())).isEqualTo("unknown");
        assertThat(VersionDetails.commit(build(COMMIT, "false"))).isEqualTo(COMMIT);
        assertThat(VersionDetails.commit(build(COMMIT, "true")))
                .isEqualTo(COMMIT + ", with changes that are not committed");
    }

    @Test
    void theManifestIsReadInAnyFolder(@TempDir Path folder) throws IOException {
        Path jar = Files.createDirectory(folder.resolve("my programs, 100 %")).resolve("probestream.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Build-Commit", COMMIT);
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        CodeSource source = new CodeSource(jar.toUri().toURL(), (Certificate[]) null);
        assertThat(VersionDetails.attribute(VersionDetails.manifest(source), "Build-Commit"))
                .isEqualTo(COMMIT);
    }

    private static Attributes build(String commit, String dirty) {
        Attributes attributes = new Attributes();
        attributes.putValue("Build-Commit", commit);
        attributes.putValue("Build-Dirty", dirty);
        return attributes;
    }

    private static String glibcVersion() throws IOException, InterruptedException {
        Process getconf = new ProcessBuilder("getconf", "GNU_LIBC_VERSION").start();
        String answer = new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        getconf.waitFor();
        return answer.substring(answer.indexOf(' ') + 1);
    }
}
