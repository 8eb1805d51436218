package dev.probestream.deploy.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files that {@code -Prelease} leaves in {@code target/dist}: what is in them, and that they run where no Java is. */
@Tag("packaged")
@Timeout(600)
class ReleaseTest {
    /** What a run printed, both streams together, and its exit code. */
    private record Run(int exitCode, String output) {}

    private static final String VERSION = System.getProperty("probestream.version", "unknown");
    private static final Path DIST = Path.of("target/dist").toAbsolutePath();

    /** The first bytes of an ELF file, and the position of its machine (elf.h). */
    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

    private static final int E_MACHINE = 18;
    private static final int EM_BPF = 247;

    @TempDir
    private Path folder;

    @Test
    void theSumsAreThoseOfAllFiles() throws Exception {
        Run check = run(DIST, "sha256sum", "--check", "--strict", "SHA256SUMS");

        assertThat(check.exitCode()).as(check.output()).isZero();
        try (Stream<Path> files = Files.list(DIST)) {
            assertThat(check.output().lines().count()).isEqualTo(files.count() - 1);
        }
        assertThat(check.output())
                .contains(
                        "probestream-" + VERSION + "-linux-x64.tar.gz",
                        "probestream-" + VERSION + "-linux-arm64.tar.gz",
                        "_amd64.deb",
                        "_arm64.deb",
                        "probestream-" + VERSION + ".cdx.json",
                        ".tgz",
                        "probestream-collector-" + VERSION + "-javadoc.jar");
    }

    @Test
    void theArchiveRunsWithoutJavaAndTheFirstStartAddsTheClassesOnly() throws Exception {
        Path tree = unpack("linux-x64");
        List<String> before = new ArrayList<>(files(tree));
        String launcher = tree.resolve("probestream").toString();

        Run version = run(folder, launcher, "--version");
        assertThat(version.exitCode()).as(version.output()).isZero();
        assertThat(version.output()) // also what goes to standard error
                .startsWith("probestream: preparing the first start")
                .contains("\nprobestream " + VERSION);
        before.addAll(List.of("classes.jsa", "classes.jsa.log"));

        Run record = run(folder, launcher, "record", "--probes", "syscalls", "-o", "a.avro", "--", "/bin/true");
        assertThat(record.exitCode()).as(record.output()).isZero();
        Run query =
                run(folder, launcher, "query", "--format", "csv", "a.avro", "SELECT count(*) > 0 AS some FROM spans");
        assertThat(query.output()).contains("true");
        Run report = run(folder, launcher, "report", "a.avro", "-o", "a.html");
        assertThat(report.exitCode()).as(report.output()).isZero();
        assertThat(folder.resolve("a.html")).isNotEmptyFile();

        assertThat(files(tree)).containsExactlyInAnyOrderElementsOf(before);
    }

    /** {@code -Xshare:on} ends the JVM when the archive does not fit its jars or its class path. */
    @Test
    void theArchiveOfClassesFitsWhereverTheTreeIsMoved() throws Exception {
        Path made = unpack("linux-x64");
        run(folder, made.resolve("probestream").toString(), "--version");
        Path tree = Files.move(made, folder.resolve("moved"));

        Run run = run(
                folder,
                "sh",
                "-c",
                "exec 9<\"$1\" && exec \"$1/runtime/bin/java\" -Xshare:on -XX:+UseSerialGC"
                        + " -XX:SharedArchiveFile=\"$1/classes.jsa\" -cp /proc/self/fd/9/probestream.jar"
                        + " dev.probestream.cli.Main --version",
                "sh",
                tree.toString());

        assertThat(run.exitCode()).as(run.output()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"linux-x64, 62", "linux-arm64, 183"})
    void everyNativeFileIsForTheMachineOfItsArchive(String name, int machine) throws Exception {
        Map<String, Integer> machines = new TreeMap<>();
        Path tree = unpack(name);
        for (String file : files(tree)) {
            byte[] content = Files.readAllBytes(tree.resolve(file));
            note(machines, file, content);
            if (file.endsWith(".jar")) {
                noteJar(machines, file, content);
            }
        }

        // The kernel's own machine is the same everywhere.
        assertThat(machines.entrySet())
                .filteredOn(file -> file.getValue() == EM_BPF)
                .singleElement()
                .satisfies(file -> assertThat(file.getKey()).endsWith("/probestream.bpf.o"));
        machines.values().remove(EM_BPF);
        assertThat(machines)
                .hasSizeGreaterThan(10)
                .allSatisfy((file, found) -> assertThat(found).as(file).isEqualTo(machine));
        assertThat(machines.keySet())
                .anyMatch(file -> file.contains("libzstd-jni"))
                .anyMatch(file -> file.contains("libduckdb_java"))
                .anyMatch(file -> file.contains("libjffi"))
                .anyMatch(file -> file.endsWith("libjvm.so"));
    }

    private static void noteJar(Map<String, Integer> machines, String jar, byte[] content) throws IOException {
        try (ZipInputStream entries = new ZipInputStream(new ByteArrayInputStream(content))) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                note(machines, jar + "!" + entry.getName(), entries.readAllBytes());
            }
        }
    }

    private static void note(Map<String, Integer> machines, String name, byte[] content) {
        if (content.length > E_MACHINE + 1
                && ByteBuffer.wrap(content, 0, ELF.length).equals(ByteBuffer.wrap(ELF))) {
            machines.put(name, (int)
                    ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getShort(E_MACHINE));
        }
    }

    private Path unpack(String name) throws IOException, InterruptedException {
        Path archive = DIST.resolve("probestream-" + VERSION + "-" + name + ".tar.gz");
        Run run = run(folder, "tar", "-xzf", archive.toString(), "--no-same-owner");
        assertThat(run.exitCode()).as(run.output()).isZero();
        return folder.resolve("probestream-" + VERSION);
    }

    private static List<String> files(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> tree.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    /** Runs a command in an environment that knows no Java. */
    private Run run(Path workingFolder, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .directory(workingFolder.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "HOME", folder.toString()));
        Process process = builder.start();
        try (InputStream output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            return new Run(process.waitFor(), text);
        }
    }
}
