package dev.probestream.bench.node;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * npm packages in the versions of a package-lock.json, installed once into
 * {@code ~/.cache/probestream/bench-npm-CHECKSUM}.
 */
public final class NpmPackages {
    private static final List<String> FILES = List.of("package.json", "package-lock.json");

    private NpmPackages() {}

    /**
     * Installs them if they are not there.
     *
     * @param under the folder of package.json in the scripts of this package, with a slash; empty = at their top
     * @return the folder node_modules
     * @throws IOException when npm cannot install them
     */
    static Path install(String under) throws IOException, InterruptedException {
        CRC32 checksum = new CRC32();
        checksum.update(resource(under + "package-lock.json"));
        Path folder = cache().resolve("bench-npm-" + Long.toHexString(checksum.getValue()));
        Path modules = folder.resolve("node_modules");
        if (Files.isDirectory(modules)) {
            return modules;
        }
        Files.createDirectories(folder.getParent());
        Path staging = Files.createTempDirectory(folder.getParent(), "bench-npm");
        for (String file : FILES) {
            Files.write(staging.resolve(file), resource(under + file));
        }
        Process npm = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
                .directory(staging.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (npm.waitFor() != 0) {
            throw new IOException("npm ci in " + staging + ": exit code " + npm.exitValue() + ", see above");
        }
        Files.move(staging, folder);
        return modules;
    }

    /**
     * Installs them if they are not there, and copies scripts that use them.
     *
     * @param folder takes the scripts below {@code under}, and a link to the packages
     * @param under the folder of the scripts and of their package.json in the scripts of this package, with a slash
     * @return the folder of the copies
     * @throws IOException when npm cannot install them
     */
    public static Path withScripts(Path folder, String under, List<String> scripts)
            throws IOException, InterruptedException {
        Path modules = install(under);
        for (String script : scripts) {
            NodeProgram.copy(folder, under + script);
        }
        Path link = folder.resolve("node_modules");
        if (!Files.exists(link)) {
            Files.createSymbolicLink(link, modules);
        }
        return folder.resolve(under);
    }

    private static Path cache() {
        return Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .map(Path::of)
                .orElse(Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("probestream");
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream source = Objects.requireNonNull(NpmPackages.class.getResourceAsStream(name), name)) {
            return source.readAllBytes();
        }
    }
}
