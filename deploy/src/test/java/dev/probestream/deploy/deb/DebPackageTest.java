package dev.probestream.deploy.deb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package that deploy/deb/build makes of a tree. */
class DebPackageTest {
    private static final Path BUILD = Path.of("deb/build").toAbsolutePath();

    private static final String ARCHITECTURE = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";

    private static final String FOREIGN = ARCHITECTURE.equals("arm64") ? "amd64" : "arm64";

    private static final String NAME = "probestream_0.1.0~SNAPSHOT_" + ARCHITECTURE + ".deb";

    @TempDir
    private static Path folder;

    private static Path tree = Path.of("");

    private static Path deb = Path.of("");

    @BeforeAll
    static void make() throws Exception {
        ToolRun.require("dpkg-deb", "unzip", "readelf", "gcc");
        tree = folder.resolve("tree");
        SmallTree.make(tree);
        deb = folder.resolve("first").resolve(NAME);
        ToolRun run = build(tree, ARCHITECTURE, "first", Map.of());
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).isEqualTo(deb + "\n");
    }

    @Test
    void twoBuildsOfOneTreeAreIdentical() throws Exception {
        Path copy = folder.resolve("copy");
        ToolRun.output("cp", "-a", tree.toString(), copy.toString());

        ToolRun run = build(copy, ARCHITECTURE, "second", Map.of("TZ", "Asia/Tokyo", "LC_ALL", "C.UTF-8"));

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(Files.mismatch(deb, folder.resolve("second").resolve(NAME))).isEqualTo(-1);
    }

    @Test
    void theControlFieldsAreThoseOfThisVersionAndItsNativeFiles() throws Exception {
        Map<String, String> fields = ToolRun.output("dpkg-deb", "--field", deb.toString())
                .lines()
                .filter(line -> !line.startsWith(" "))
                .map(line -> line.split(": ", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1]));

        assertThat(fields)
                .containsEntry("Package", "probestream")
                .containsEntry("Version", "0.1.0~SNAPSHOT")
                .containsEntry("Architecture", ARCHITECTURE)
                .containsEntry("Section", "utils")
                .doesNotContainKeys("Recommends", "Suggests");
        assertThat(fields.get("Depends")).matches("libc6 \\(>= 2\\.[0-9]+(\\.[0-9]+)?\\)");
        assertThat(Integer.parseInt(Objects.requireNonNull(fields.get("Installed-Size"))))
                .isBetween(20, 2000);
    }

    @Test
    void everythingBelongsToRootAndIsWhereDebianKeepsIt() throws Exception {
        Map<String, String> modes = ToolRun.output("dpkg-deb", "--contents", deb.toString())
                .lines()
                .map(line -> line.split("\\s+", 6))
                .peek(columns -> assertThat(columns[1]).as(columns[5]).isEqualTo("root/root"))
                .collect(Collectors.toMap(columns -> columns[5], columns -> columns[0]));

        assertThat(modes)
                .containsEntry("./usr/bin/probestream -> ../lib/probestream/probestream", "lrwxrwxrwx")
                .containsEntry("./usr/lib/probestream/probestream", "-rwxr-xr-x")
                .containsEntry("./usr/lib/probestream/runtime/bin/java", "-rwxr-xr-x")
                .containsEntry("./usr/lib/probestream/probestream.jar", "-rw-r--r--")
                .containsEntry("./usr/lib/systemd/system/probestream-collect.service", "-rw-r--r--")
                .containsEntry("./usr/lib/sysusers.d/probestream.conf", "-rw-r--r--")
                .containsEntry("./etc/probestream/collect.options", "-rw-r--r--")
                .containsEntry("./etc/probestream/kafka.properties", "-rw-r-----")
                .containsEntry("./usr/share/man/man1/probestream.1.gz", "-rw-r--r--")
                .containsEntry("./usr/share/bash-completion/completions/probestream", "-rw-r--r--")
                .containsEntry("./usr/share/zsh/vendor-completions/_probestream", "-rw-r--r--")
                .containsEntry("./usr/share/fish/vendor_completions.d/probestream.fish", "-rw-r--r--")
                .containsEntry("./usr/share/doc/probestream/copyright", "-rw-r--r--")
                .containsEntry("./usr/share/doc/probestream/changelog.gz", "-rw-r--r--")
                .containsEntry("./usr/share/doc/probestream/licenses/THIRD-PARTY.txt", "-rw-r--r--");
        assertThat(modes.keySet())
                .noneMatch(file -> file.matches("\\./usr/lib/probestream/(man|completions|licenses)/.*"));
    }

    @Test
    @Tag("deep")
    void lintianFindsNothing() throws Exception {
        ToolRun.require("lintian");

        String found = ToolRun.of(
                        List.of("lintian", "--allow-root", "--no-tag-display-limit", deb.toString()), Map.of(), "")
                .output()
                .lines()
                .filter(line -> line.matches("[EW]: .*"))
                .collect(Collectors.joining("\n"));

        assertThat(found).isEmpty();
    }

    @Test
    void aLibraryWithoutALicenceInTheCopyrightFileIsRefused() throws Exception {
        Path other = folder.resolve("unlisted");
        ToolRun.output("cp", "-a", tree.toString(), other.toString());
        SmallTree.jar(other.resolve("lib/left-pad-1.0.jar"), "a.txt", new byte[] {1});
        SmallTree.setTimes(other);

        ToolRun run = build(other, ARCHITECTURE, "none", Map.of());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("names no licence for usr/lib/probestream/lib/left-pad-1.0.jar:");
    }

    @Test
    void aTreeThatIsNewerThanTheReleaseIsRefused() throws Exception {
        Path other = folder.resolve("newer");
        ToolRun.output("cp", "-a", tree.toString(), other.toString());
        Files.setLastModifiedTime(other.resolve("probestream.jar"), FileTime.from(Instant.now()));

        ToolRun run = build(other, ARCHITECTURE, "none", Map.of("SOURCE_DATE_EPOCH", "1700000000"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("is newer than SOURCE_DATE_EPOCH (1700000000)");
    }

    @Test
    void aTreeOfAnotherArchitectureIsRefused() throws Exception {
        ToolRun run = build(tree, FOREIGN, "none", Map.of());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("has no native file for " + FOREIGN);
    }

    @Test
    void dependenciesAreThePackagesOfTheLibrariesWithTheNewestVersionsThatAreUsed() throws Exception {
        assertThat(dependencies(
                        "libc.so.6 libstdc++.so.6 libz.so.1 libown.so",
                        "GLIBC_2.4 GLIBC_2.34 GLIBC_2.14 GLIBCXX_3.4.29"))
                .isEqualTo("0 libc6 (>= 2.34), libstdc++6 (>= 11), zlib1g");
        assertThat(dependencies("libc.so.6 libgcc_s.so.1 libm.so.6", "GLIBC_2.17 GCC_3.0 GCC_4.2.0"))
                .isEqualTo("0 libc6 (>= 2.17), libgcc-s1 (>= 4.2.0)");
        assertThat(dependencies("libssl.so.3", "GLIBC_2.17")).isEqualTo("1 no package is known for libssl.so.3");
        assertThat(dependencies("libstdc++.so.6", "GLIBCXX_3.4.99"))
                .isEqualTo("1 no release of GCC is known for GLIBCXX_3.4.99");
    }

    /** The exit code and output for one file with these needs, in the form of readelf. */
    private static String dependencies(String libraries, String versions) throws IOException, InterruptedException {
        StringBuilder file = new StringBuilder();
        for (String library : libraries.split(" ")) {
            file.append(". 0x0000000000000001 (NEEDED)  Shared library: [")
                    .append(library)
                    .append("]\n");
        }
        file.append(". Version needs section '.gnu.version_r' contains 1 entry:\n");
        for (String version : versions.split(" ")) {
            file.append(".   0x0010:   Name: ").append(version).append("  Flags: none  Version: 4\n");
        }
        file.append("own libown.so\n");
        ToolRun run = ToolRun.of(
                List.of("awk", "-f", BUILD.resolveSibling("depends.awk").toString()), Map.of(), file.toString());
        return run.exitCode() + " " + run.output();
    }

    private static ToolRun build(Path of, String architecture, String output, Map<String, String> environment)
            throws IOException, InterruptedException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(BUILD)))
                .contains("x");
        List<String> command = List.of(
                BUILD.toString(),
                of.toString(),
                architecture,
                "0.1.0-SNAPSHOT",
                folder.resolve(output).toString());
        Map<String, String> all = environment.containsKey("SOURCE_DATE_EPOCH")
                ? environment
                : Map.of(
                        "SOURCE_DATE_EPOCH",
                        String.valueOf(SmallTree.BUILT_SECONDS),
                        "TZ",
                        environment.getOrDefault("TZ", "UTC"),
                        "LC_ALL",
                        environment.getOrDefault("LC_ALL", "C"));
        return ToolRun.of(command, all, "");
    }
}
