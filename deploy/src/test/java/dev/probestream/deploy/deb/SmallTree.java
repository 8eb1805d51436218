package dev.probestream.deploy.deb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A tree with everything the installed layout has, in small: its native files are two C programs. */
final class SmallTree {
    static final long BUILT_SECONDS = 1_790_000_000;

    /** As Debian's packages are compiled: lintian reports less. */
    private static final List<String> GCC = List.of(
            "gcc",
            "-s",
            "-O2",
            "-fPIE",
            "-fstack-protector-strong",
            "-D_FORTIFY_SOURCE=2",
            "-Wl,-z,relro,-z,now",
            "-x",
            "c",
            "-");

    private static final String MANUAL_PAGE = """
            .TH PROBESTREAM 1
            .SH NAME
            probestream \\- record what processes and the kernel do
            .SH DESCRIPTION
            Records.
            """;

    private SmallTree() {}

    /** Makes a tree in this folder, which does not exist yet. */
    static void make(Path tree) throws IOException, InterruptedException {
        Map<String, String> texts = Map.of(
                "probestream", "#!/bin/sh\nexec \"${0%/*}/runtime/bin/java\" \"$@\"\n",
                "README.md", "# Probestream\n",
                "CHANGELOG.md", "# Changelog\n",
                "LICENSE", "Apache\n",
                "runtime/release", "JAVA_VERSION=\"17.0.15\"\n",
                "man/man1/probestream.1", MANUAL_PAGE,
                "completions/probestream.bash", "complete -W demo probestream\n",
                "completions/_probestream", "#compdef probestream\n",
                "completions/probestream.fish", "complete -c probestream -a demo\n",
                "licenses/THIRD-PARTY.txt", "Licences of others.\n");
        for (Map.Entry<String, String> text : texts.entrySet()) {
            write(tree.resolve(text.getKey()), text.getValue());
        }
        assertThat(tree.resolve("probestream").toFile().setExecutable(true)).isTrue();
        compile("int main(void) { return 0; }", tree.resolve("runtime/bin/java"), "-pie");
        Path library = tree.resolve("lib/native.so");
        compile("#include <math.h>\ndouble root(double x) { return sqrt(x); }", library, "-shared", "-fPIC", "-lm");
        byte[] elf = Files.readAllBytes(library);
        Files.delete(library);
        jar(tree.resolve("lib/jffi-1.4.3-native.jar"), "jni/here/libjffi.so", elf);
        jar(tree.resolve("probestream.jar"), "dev/probestream/some.txt", new byte[] {1});
        jar(tree.resolve("lib-query/duckdb_jdbc-1.jar"), "libduckdb_java.so_linux_amd64", elf);
        setTimes(tree);
    }

    /** A jar with one entry. */
    static void jar(Path jar, String entry, byte[] content) throws IOException {
        Files.createDirectories(jar.resolveSibling(""));
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            ZipEntry header = new ZipEntry(entry);
            header.setTime(BUILT_SECONDS * 1000);
            zip.putNextEntry(header);
            zip.write(content);
            zip.closeEntry();
        }
    }

    /** Files are as old as the release, which the build demands. */
    static void setTimes(Path tree) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(tree)) {
            files = walk.toList();
        }
        for (Path file : files) {
            Files.setLastModifiedTime(file, FileTime.fromMillis((BUILT_SECONDS - 60) * 1000));
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, text);
    }

    private static void compile(String source, Path output, String... options)
            throws IOException, InterruptedException {
        Files.createDirectories(output.resolveSibling(""));
        List<String> command = Stream.of(GCC, List.of("-o", output.toString()), List.of(options))
                .flatMap(List::stream)
                .toList();
        ToolRun run = ToolRun.of(command, Map.of(), source);
        assertThat(run.exitCode()).as(run.output()).isZero();
    }
}
