package dev.probestream.bpf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A Go fixture, compiled by the machine's go from {@code testdata/go/} on the class path, without any network. */
public final class GoProgram {
    private GoProgram() {}

    /**
     * Compiles the files of {@code testdata/go/NAME} into {@code folder}. Skips the test where there is no go, but fails it
     * with {@code CI=true}: a skipped test proves nothing.
     *
     * @return started and asked as a C fixture is
     */
    public static CProgram compile(Path folder, String name, String... files) throws IOException, InterruptedException {
        requireGo();
        Path sources = Files.createDirectories(folder.resolve(name + "-go"));
        for (String file : files) {
            String resource = "/testdata/go/" + name + "/" + file;
            try (InputStream in = GoProgram.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IOException("no Go fixture " + resource + " on the class path");
                }
                Files.write(sources.resolve(file), in.readAllBytes());
            }
        }
        Path executable = folder.resolve(name).toAbsolutePath();
        ProcessBuilder compiler = new ProcessBuilder("go", "build", "-o", executable.toString(), ".")
                .directory(sources.toFile())
                .redirectErrorStream(true);
        compiler.environment().put("GOFLAGS", "-mod=mod");
        compiler.environment().put("GOPROXY", "off");
        compiler.environment()
                .put("GOCACHE", folder.resolve("go-cache").toAbsolutePath().toString());
        Process process = compiler.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("compile " + sources + " with " + compiler.command() + ": " + output);
        }
        return new CProgram(executable);
    }

    private static void requireGo() {
        boolean isThere = List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "go")));
        if (!isThere && "true".equals(System.getenv("CI"))) {
            throw new IllegalStateException("CI=true, yet there is no go to compile a fixture: install golang-go");
        }
        Assumptions.assumeTrue(isThere, "needs go (Debian: golang-go)");
    }
}
