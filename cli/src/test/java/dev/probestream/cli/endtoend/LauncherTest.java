package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a house of its own whose path holds blanks, with stand-ins for java and mvn that say their arguments. */
class LauncherTest {
    /** What a run printed, both streams together, and its exit code. */
    private record Run(int exitCode, List<String> lines) {}

    @TempDir
    private Path folder;

    private Path house = Path.of("");
    private Path jdk = Path.of("");
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void buildAHouse() throws IOException {
        house = Files.createDirectories(folder.resolve("a house"));
        Files.copy(launcher(), house.resolve("probestream"), StandardCopyOption.COPY_ATTRIBUTES);
        Path sourced = Files.createDirectories(house.resolve("cli/src/main/launcher"));
        for (String file : List.of("run.sh", "classes.list")) {
            Files.copy(Path.of("src/main/launcher", file), sourced.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.writeString(house.resolve("pom.xml"), "");
        Files.writeString(house.resolve("cli/pom.xml"), "");
        jdk = folder.resolve("a jdk");
        script(jdk.resolve("bin/java"), """
                for argument; do
                  case $argument in -XX:SharedArchiveFile=*) archive=${argument#*=} ;; esac
                done
                case $* in
                  *-Xshare:dump*) echo archive >"$archive" ;;
                  *) printf '%s|' "$@"; echo ;;
                esac
                """);
        script(jdk.resolve("bin/javac"), "");
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"us\"\nJAVA_VERSION=\"17.0.9\"\n");
        script(folder.resolve("bin/mvn"), "echo \"mvn $*\"\nmkdir -p cli/target\ntouch cli/target/probestream.jar");
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
    }

    @Test
    void theFirstStartBuilds() throws Exception {
        Run run = launch("doctor", "--json");

        assertThat(run.lines().get(0))
                .startsWith(
                        "probestream: building with Maven (first use; the first time takes a minute or two) ... done in");
        assertThat(house.resolve("target/launcher-build.log")).content().contains("mvn -Dmaven.test.skip=true");
        assertThat(run.lines().get(1))
                .isEqualTo("probestream: preparing the first start (seconds; longer on a busy machine) ...");
        assertThat(run.lines().get(2))
                .endsWith("|-cp|" + house + "/cli/target/probestream.jar|dev.probestream.cli.Main|doctor|--json|");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void theSecondStartDoesNot() throws Exception {
        launch("doctor");

        assertThat(launch("doctor").lines()).hasSize(1);
    }

    @Test
    void aChangedSourceIsBuiltAgain() throws Exception {
        launch("doctor");
        Files.writeString(house.resolve("cli/src/main/Main.java"), "class Main {}");

        assertThat(launch("doctor").lines().get(0)).contains("building with Maven (the sources have changed;");
    }

    @Test
    void itCanBeCalledThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("linked"), house.resolve("probestream"));

        assertThat(run(folder, link.toString(), "doctor").lines())
                .last()
                .asString()
                .endsWith("|" + house + "/cli/target/probestream.jar|dev.probestream.cli.Main|doctor|");
    }

    @ParameterizedTest
    @CsvSource({
        "broker,                          :TARGET/lib-broker/*",
        "demo -o folder,                  :TARGET/lib-broker/*",
        "collect -p 1 --embedded,         :TARGET/lib-broker/*",
        "collect @options,                :TARGET/lib-broker/*",
        "collect --kafka localhost:9092,  ''",
        "query folder,                    :TARGET/lib-query/*",
        "report folder,                   :TARGET/lib-query/*",
        "record -p 1 -o embedded.avro,    ''",
        "--help,                          ''",
        "sink parquet,                    ''",
    })
    void aCommandGetsTheLibrariesThatItNeeds(String command, String libraries) throws Exception {
        String target = house + "/cli/target";

        assertThat(launch(command.split(" ")).lines())
                .last()
                .asString()
                .contains("|-cp|" + target + "/probestream.jar" + libraries.replace("TARGET", target)
                        + "|dev.probestream.cli.Main|");
    }

    @ParameterizedTest
    @ValueSource(strings = {"record", "query", "broker"})
    void theFirstStartMakesAnArchiveOfClassesThatAllCommandsUse(String command) throws Exception {
        script(jdk.resolve("bin/java"), """
                for argument; do
                  [ "$argument" != -Xshare:dump ] || echo "$@" >>'%s/dumps'
                  case $argument in -XX:SharedArchiveFile=*) [ -e "${argument#*=}" ] || echo archive >"${argument#*=}" ;; esac
                done
                printf '%%s|' "$@"
                """.formatted(folder));

        launch("record");

        assertThat(launch(command).lines())
                .last()
                .asString()
                .contains("|-XX:SharedArchiveFile=" + house + "/cli/target/launcher-17.0.9.jsa|");
        assertThat(folder.resolve("dumps"))
                .content()
                .containsOnlyOnce("-Xshare:dump")
                .contains("-XX:SharedClassListFile=" + sourced("classes.list"));
    }

    @Test
    void whereNoArchiveCanBeMadeAnEmptyFileKeepsTheNextStartsFromTrying() throws Exception {
        script(jdk.resolve("bin/java"), """
                case $* in *-Xshare:dump*) echo tried >>'%s/dumps'; exit 1 ;; esac
                """.formatted(folder));

        assertThat(launch("record").exitCode()).isZero();
        assertThat(launch("record").exitCode()).isZero();

        assertThat(folder.resolve("dumps")).content().isEqualTo("tried\n");
        assertThat(house.resolve("cli/target/launcher-17.0.9.jsa")).isEmptyFile();
    }

    @Test
    @Timeout(120)
    void anArchiveIsNotLeftHalfMade() throws Exception {
        launch("record");
        Path target = house.resolve("cli/target");
        Files.delete(target.resolve("launcher-17.0.9.jsa"));
        Files.writeString(target.resolve("launcher-17.0.9.jsa.4194304"), "of a start that was killed");
        script(jdk.resolve("bin/java"), """
                for argument; do
                  case $argument in -XX:SharedArchiveFile=*) archive=${argument#*=} ;; esac
                done
                echo half >"$archive"
                echo begun >'%1$s/begun'
                exec sleep 600
                """.formatted(folder));
        ProcessBuilder builder =
                new ProcessBuilder(house.resolve("probestream").toString(), "record").redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        while (!Files.exists(folder.resolve("begun")) && process.isAlive()) {
            Thread.onSpinWait();
        }
        process.destroy();

        assertThat(process.waitFor()).isEqualTo(128 + 15);
        assertThat(target.toFile().list()).noneMatch(name -> name.matches("launcher-17\\.0\\.9\\.jsa(\\.[0-9]+)?"));
    }

    @Test
    void argumentsArriveAsTheyWereWritten() throws Exception {
        assertThat(launch("record", "--probes", "uprobe:f (a=arg1:s32)", "*", "")
                        .lines())
                .last()
                .asString()
                .endsWith("|record|--probes|uprobe:f (a=arg1:s32)|*||");
    }

    @Test
    void withoutJavaItSaysHowToGetOne() throws Exception {
        environment.remove("JAVA_HOME");
        Path bin = folder.resolve("nothing but readlink");
        script(bin.resolve("readlink"), "exec /usr/bin/readlink \"$@\"");
        environment.put("PATH", bin.toString());

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        77,
                        List.of("probestream: there is no java in PATH: install a JDK 17 or newer ('apt-get install"
                                + " openjdk-17-jdk-headless', or https://adoptium.net/), or set JAVA_HOME")));
    }

    @Test
    void aJavaHomeWithoutJavaIsSaid() throws Exception {
        environment.put("JAVA_HOME", "/no/such/jdk");

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        77,
                        List.of(
                                "probestream: JAVA_HOME is /no/such/jdk, which has no bin/java: unset it, or set it to a"
                                        + " JDK 17 or newer")));
    }

    @Test
    void anOldJavaIsRefused() throws Exception {
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"11.0.22\"\n");

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        77,
                        List.of("probestream: " + jdk + "/bin/java is Java 11.0.22: install a JDK 17 or newer ('apt-get"
                                + " install openjdk-17-jdk-headless', or https://adoptium.net/), or set JAVA_HOME")));
    }

    @Test
    void aRuntimeWithoutACompilerCannotBuild() throws Exception {
        Files.delete(jdk.resolve("bin/javac"));

        assertThat(launch("doctor").lines().get(0))
                .isEqualTo("probestream: there is no build yet and " + jdk + " cannot compile (no bin/javac): install a"
                        + " JDK, not only a JRE ('apt-get install openjdk-17-jdk-headless')");
    }

    @Test
    void withoutMavenTheWrapperBuilds() throws Exception {
        script(house.resolve("mvnw"), "echo \"mvnw $*\"\nmkdir -p cli/target\ntouch cli/target/probestream.jar");
        environment.put("PATH", toolsWithoutMaven());

        assertThat(launch("doctor").exitCode()).isZero();
        assertThat(house.resolve("target/launcher-build.log")).content().contains("mvnw -Dmaven.test.skip=true");
    }

    @Test
    void aFailedBuildSaysWhyAndWhereTheRestIs() throws Exception {
        script(folder.resolve("bin/mvn"), "echo '[INFO] Scanning'; echo '[ERROR] it does not compile'; exit 1");

        assertThat(launch("doctor"))
                .isEqualTo(new Run(
                        1,
                        List.of(
                                "probestream: building with Maven (first use; the first time takes a minute or two)"
                                        + " ... failed",
                                "[ERROR] it does not compile",
                                "probestream: the build failed; all of it is in " + house
                                        + "/target/launcher-build.log")));
    }

    private Run launch(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(house.resolve("probestream").toString()));
        command.addAll(List.of(arguments));
        return run(Path.of("/"), command.toArray(String[]::new));
    }

    private Run run(Path workingFolder, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(workingFolder.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output.lines().toList());
    }

    /** A PATH with the tools that the launcher uses. */
    private String toolsWithoutMaven() throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String name : List.of(
                "awk",
                "cut",
                "date",
                "env",
                "find",
                "grep",
                "id",
                "mkdir",
                "mktemp",
                "mv",
                "readlink",
                "rm",
                "sed",
                "sh",
                "stat",
                "tail",
                "test",
                "touch")) {
            script(tools.resolve(name), "exec /usr/bin/" + name + " \"$@\"");
        }
        return tools.toString();
    }

    private String sourced(String file) {
        return house.resolve("cli/src/main/launcher").resolve(file).toString();
    }

    /** The launcher of this very house; tests run in its module cli. */
    private static Path launcher() {
        return Path.of("").toAbsolutePath().resolveSibling("probestream");
    }

    private static void script(Path file, String body) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
