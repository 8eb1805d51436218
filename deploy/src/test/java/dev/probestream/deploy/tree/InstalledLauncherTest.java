package dev.probestream.deploy.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The installed launcher in a tree whose path holds blanks, with a stand-in for java that prints its arguments. */
class InstalledLauncherTest {
    /** What a run printed, both streams together, and its exit code. */
    private record Run(int exitCode, List<String> lines) {}

    private static final Path PROJECT = Path.of("").toAbsolutePath().resolveSibling("");

    @TempDir
    private Path folder;

    private Path tree = Path.of("");
    private Path home = Path.of("");
    private String interpreter = "/bin/sh";
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void install() throws IOException {
        tree = Files.createDirectories(folder.resolve("a tree/probestream-1.2.3"));
        home = Files.createDirectories(folder.resolve("a home"));
        script(tree.resolve("runtime/bin/java"), """
                for argument; do
                  case $argument in
                    -XX:SharedArchiveFile=*) [ -e "${argument#*=}" ] || echo archive >"${argument#*=}" ;;
                  esac
                done
                printf '%s|' "$@"
                echo
                """);
        Files.createDirectories(tree.resolve("lib"));
        for (String file : List.of("run.sh", "classes.list")) {
            Files.copy(
                    PROJECT.resolve("cli/src/main/launcher").resolve(file),
                    tree.resolve("lib").resolve(file));
        }
        Files.writeString(tree.resolve("probestream.jar"), "12345");
        Files.writeString(tree.resolve("classes.jsa"), "made by the build");
        Files.setLastModifiedTime(tree.resolve("classes.jsa"), FileTime.fromMillis(1_700_000_000_000L));
        Files.setLastModifiedTime(tree.resolve("probestream.jar"), FileTime.fromMillis(1_700_000_000_000L));
        writeLauncher();
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", home.toString());
    }

    /** As the build fills it in. */
    private void writeLauncher() throws IOException {
        script(
                tree.resolve("probestream"),
                Files.readString(PROJECT.resolve("deploy/tree/probestream"))
                        .replace("@VERSION@", "1.2.3")
                        .replace("@MACHINE@", "x86_64")
                        .replace("@INTERPRETER@", interpreter)
                        .replace("@GLIBC@", "2.34")
                        .replace("@GLIBC_MAJOR@", "2")
                        .replace("@GLIBC_MINOR@", "34")
                        .replace("@FILES@", "lib/run.sh probestream.jar")
                        .replace("@SIZES@", Files.size(tree.resolve("lib/run.sh")) + " 5")
                        .replace("@MEGABYTES@", "240"));
    }

    @ParameterizedTest
    @CsvSource({
        "record -o x.avro, ''",
        "query x.avro,     :/proc/self/fd/9/lib-query/*",
        "demo,             :/proc/self/fd/9/lib-broker/*",
    })
    void theClassPathIsTheSameWhereverTheTreeLies(String command, String libraries) throws Exception {
        Run run = launch(command.split(" "));

        assertThat(run.lines())
                .singleElement()
                .asString()
                .contains("|-XX:SharedArchiveFile=" + tree + "/classes.jsa|")
                .endsWith("|-cp|/proc/self/fd/9/probestream.jar" + libraries + "|dev.probestream.cli.Main|"
                        + command.replace(' ', '|') + "|");
        assertThat(run.exitCode()).isZero();
        assertThat(tree.resolve("classes.jsa")).content().isEqualTo("made by the build");
    }

    @Test
    void itCanBeCalledThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("linked"), tree.resolve("probestream"));

        assertThat(run(List.of(link.toString(), "doctor")).lines())
                .singleElement()
                .asString()
                .contains(tree + "/classes.jsa")
                .endsWith("|doctor|");
    }

    @Test
    void anotherMachineIsNamed() throws Exception {
        interpreter = "/no/such/interpreter";
        writeLauncher();
        tool("uname", "echo aarch64");

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        77,
                        List.of(
                                "probestream: this is the program for x86_64, and this machine is aarch64: get the archive for"
                                        + " it (linux-x64 is for x86_64, linux-arm64 is for aarch64)")));
    }

    @Test
    void anotherCLibraryIsNamed() throws Exception {
        interpreter = "/no/such/interpreter";
        writeLauncher();
        tool("uname", "echo x86_64");

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        77,
                        List.of(
                                "probestream: there is no /no/such/interpreter: the program needs the C library glibc 2.34 or"
                                        + " newer (a Linux with another C library, such as Alpine, has none)")));
    }

    @ParameterizedTest
    @CsvSource({"2.31, 77", "2.34, 0", "2.34.9000, 0", "2.41, 0", "3.0, 0"})
    void anOldGlibcIsRefused(String version, int exitCode) throws Exception {
        tool("getconf", "echo glibc " + version);

        Run run = launch("doctor");

        assertThat(run.exitCode()).isEqualTo(exitCode);
        if (exitCode != 0) {
            assertThat(run.lines())
                    .containsExactly("probestream: glibc here is 2.31, and the program needs 2.34 or newer: use a newer"
                            + " system, or build the program from its sources with a JDK of this system");
        }
    }

    @Test
    void whereNobodyKnowsTheVersionOfGlibcTheProgramIsTried() throws Exception {
        tool("getconf", "exit 1");

        assertThat(launch("doctor").exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"'1234'", "''", "gone"})
    void whatWasUnpackedWithoutSpaceIsRefused(String content) throws Exception {
        if (content.equals("gone")) {
            Files.delete(tree.resolve("probestream.jar"));
        } else {
            Files.writeString(tree.resolve("probestream.jar"), content);
        }

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        1,
                        List.of("probestream: the installation in " + tree
                                + " is not complete: files are missing or have"
                                + " other sizes than in the release. Unpack the archive again, where 240 MB are free, or"
                                + " install the package again")));
    }

    @Test
    void aTreeWithoutAnArchiveGetsOne() throws Exception {
        Files.delete(tree.resolve("classes.jsa"));

        assertThat(launch("doctor").exitCode()).isZero();

        assertThat(tree.resolve("classes.jsa")).content().isEqualTo("archive\n");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void twoThatStartAtOnceLeaveOneWholeArchive() throws Exception {
        Files.delete(tree.resolve("classes.jsa"));

        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(start(List.of(tree.resolve("probestream").toString(), "doctor")));
        }
        for (Process process : processes) {
            process.getInputStream().readAllBytes();
            assertThat(process.waitFor()).isZero();
        }

        assertThat(tree.resolve("classes.jsa")).content().isEqualTo("archive\n");
        try (var files = Files.list(tree)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("classes.jsa.")))
                    .containsExactly("classes.jsa.log");
        }
    }

    /** Runs as the user nobody, for root can write anywhere. */
    @Test
    void whoCannotWriteToTheTreeGetsAnArchiveOfHisOwn() throws Exception {
        assumeTrue(isRoot(), "only root can run a program as another user");
        Files.delete(tree.resolve("classes.jsa"));
        openToEverybody();
        Path archive = home.resolve(".cache/probestream/1.2.3/classes.jsa");

        assertThat(asNobody("doctor").lines()).last().asString().contains("|-XX:SharedArchiveFile=" + archive + "|");

        assertThat(archive).content().isEqualTo("archive\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive.resolveSibling(""))))
                .isEqualTo("rwx------");
        assertThat(tree.resolve("classes.jsa")).doesNotExist();
    }

    @Test
    void anArchiveThatAnotherUserMadeIsNotUsed() throws Exception {
        assumeTrue(isRoot(), "only root can run a program as another user");
        Files.delete(tree.resolve("classes.jsa"));
        openToEverybody();
        Path archive = home.resolve(".cache/probestream/1.2.3/classes.jsa");
        Files.createDirectories(archive.resolveSibling(""));
        Files.writeString(archive, "code of somebody else");

        assertThat(asNobody("doctor").lines()).last().asString().doesNotContain("SharedArchiveFile");
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private void openToEverybody() throws IOException, InterruptedException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(run(List.of("chown", "-R", "nobody", home.toString())).exitCode())
                .isZero();
    }

    private Run asNobody(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                tree.resolve("probestream").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private Run launch(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(tree.resolve("probestream").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private Run run(List<String> command) throws IOException, InterruptedException {
        Process process = start(command);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output.lines().toList());
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(Path.of("/").toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** A tool that comes before the machine's own. */
    private void tool(String name, String body) throws IOException {
        script(folder.resolve("tools").resolve(name), body);
        environment.put("PATH", folder.resolve("tools") + ":/usr/bin:/bin");
    }

    private static void script(Path file, String body) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, body.startsWith("#!") ? body : "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
