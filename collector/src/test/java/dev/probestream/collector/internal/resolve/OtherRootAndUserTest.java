package dev.probestream.collector.internal.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes with another root folder, and of another user: what only root can set up. */
class OtherRootAndUserTest {
    @TempDir
    Path folder;

    @BeforeEach
    void needsRoot() throws Exception {
        boolean isRoot = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        assumeTrue(isRoot || "true".equals(System.getenv("CI")), "needs root");
    }

    @Test
    void pathIsLookedUpInTheFileSystemOfTheProcess() throws Exception {
        ElfFixture.needs("chroot");
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-static");
        Path library = ElfFixture.compile(folder, "functions.c", "real.so", "-shared", "-fPIC");
        Files.createDirectories(folder.resolve("deep/er"));
        // Links as containers have them: absolute, relative, and one upwards out of the root.
        Files.createSymbolicLink(folder.resolve("absolute.so"), Path.of("/deep/relative.so"));
        Files.createSymbolicLink(folder.resolve("deep/relative.so"), Path.of("er/../../../../real.so"));
        Files.createSymbolicLink(folder.resolve("loop.so"), Path.of("/loop.so"));
        try (RunningProgram process = RunningProgram.start("chroot", folder.toString(), "/program");
                Resolver resolver = new Resolver()) {
            Target target = process.target();
            // With its own root but not its own mounts, the kernel reports the path from our root.
            assertThat(target.executable()).endsWith("/program");
            UprobeLocation own = resolver.resolve(SpecParser.parse("uprobe:visible"), target)
                    .get(0)
                    .locations()
                    .get(0);
            assertThat(own.fileId()).isEqualTo(FileId.of(program));

            ProbeMatch linked = resolver.resolve(SpecParser.parse("uprobe:/absolute.so:visible"), target)
                    .get(0);
            assertThat(linked.module()).isEqualTo("/real.so");
            assertThat(linked.locations().get(0).fileId()).isEqualTo(FileId.of(library));
            assertThat(FileId.of(linked.locations().get(0).file())).isEqualTo(FileId.of(library));

            assertThat(message(resolver, "uprobe:/loop.so:visible", target)).contains("/loop.so");
            assertThat(message(resolver, "uprobe:/etc/passwd:visible", target))
                    .endsWith("sees it: no such file or directory");
        }
    }

    private static String message(Resolver resolver, String spec, Target target) {
        try {
            return "found " + resolver.resolve(SpecParser.parse(spec), target);
        } catch (ResolveException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void processOfAnotherUserIsDeniedInWords() throws Exception {
        ElfFixture.needs("setpriv");
        int self = (int) ProcessHandle.current().pid();
        Process nobody = new ProcessBuilder(
                        "setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath(),
                        LooksAtAProcess.class.getName(),
                        String.valueOf(self))
                .redirectErrorStream(true)
                .start();
        String said = new String(nobody.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(nobody.waitFor()).as(said).isZero();
        assertThat(said.strip())
                .isEqualTo("NOT_PERMITTED: read process " + self + " (java): permission denied (it runs as user 0;"
                        + " run Probestream as root or with CAP_SYS_PTRACE)");
    }

    /** A copy of our classes where everybody may read them; temporary folders belong to their user alone. */
    private String classPath() throws Exception {
        Path copy = folder.resolve("classes");
        Files.createDirectories(copy);
        List<Path> classPath = new ArrayList<>(List.of(copy));
        for (Class<?> type : List.of(ProcFile.class, Target.class, LooksAtAProcess.class)) {
            Path classes = Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isRegularFile(classes)) { // a jar
                classPath.add(Files.copy(classes, copy.resolve(classes.getFileName())));
                continue;
            }
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                    Path to = copy.resolve(classes.relativize(file).toString());
                    Files.createDirectories(to.getParent());
                    Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return classPath.stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    /** What the other user runs. */
    public static final class LooksAtAProcess {
        private LooksAtAProcess() {}

        public static void main(String[] arguments) {
            try {
                System.out.println(Target.of(Integer.parseInt(arguments[0])));
            } catch (ResolveException e) {
                System.out.println(e.reason() + ": " + e.getMessage());
            }
        }
    }
}
