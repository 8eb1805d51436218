package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** ELF files made on the spot by the machine's compiler and binutils, and what binutils say of them. */
public final class ElfFixture {
    private ElfFixture() {}

    /** Skips the test where a tool is missing; with CI=true goes on, so that it fails instead. */
    public static void needs(String... tools) {
        for (String tool : tools) {
            boolean isThere = Arrays.stream(System.getenv("PATH").split(":"))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
            assumeTrue(isThere || "true".equals(System.getenv("CI")), "needs " + tool + " on the PATH");
        }
    }

    /** Compiles {@code testdata/elf/SOURCE} (.c with gcc, .cpp with g++) to {@code folder/NAME}. */
    public static Path compile(Path folder, String source, String name, String... flags)
            throws IOException, InterruptedException {
        String compiler = source.endsWith(".cpp") ? "g++" : "gcc";
        needs(compiler);
        Path copy = folder.resolve(source);
        try (InputStream resource = ElfFixture.class.getResourceAsStream("/testdata/elf/" + source)) {
            Files.write(copy, java.util.Objects.requireNonNull(resource, source).readAllBytes());
        }
        List<String> command = new ArrayList<>(List.of(compiler, "-O1"));
        command.addAll(List.of(flags));
        Path file = folder.resolve(name);
        command.addAll(List.of("-o", file.toString(), copy.toString()));
        run(command.toArray(String[]::new));
        return file;
    }

    /** Runs a tool and gives back what it printed. */
    public static String run(String... command) throws IOException, InterruptedException {
        needs(command[0]);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        int exit = process.waitFor();
        if (exit != 0) {
            throw new IOException(String.join(" ", command) + " exited with " + exit + ": " + output);
        }
        return output;
    }
}
