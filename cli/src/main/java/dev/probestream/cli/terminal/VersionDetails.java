package dev.probestream.cli.terminal;

import dev.probestream.schema.format.FormatVersion;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What {@code --version --verbose} adds: the build, and what it runs on. A report of a bug needs these lines. */
final class VersionDetails {
    private static final String UNKNOWN = "unknown";

    /** In the C library itself: csu/version.c of glibc. */
    private static final Pattern GLIBC =
            Pattern.compile("GNU C Library \\([^)]{1,80}\\) [a-z]+ release version [0-9.]*[0-9]");

    private final Path root;

    /** Reads /proc below {@code root}, which is {@code /} except in tests. */
    VersionDetails(Path root) {
        this.root = root;
    }

    /** A word and what it stands for, each a line. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        Attributes build = manifest(VersionDetails.class.getProtectionDomain().getCodeSource());
        add(lines, "build", attribute(build, "Build-Time"));
        add(lines, "commit", commit(build));
        add(lines, "format", FormatVersion.CURRENT.toString());
        add(
                lines,
                "kernel",
                kernel("ostype") + " " + kernel("osrelease") + " " + kernel("version") + " "
                        + System.getProperty("os.arch"));
        add(
                lines,
                "Java",
                Runtime.version() + ", " + System.getProperty("java.vendor") + ", " + System.getProperty("java.home"));
        add(lines, "libc", libc());
        return lines;
    }

    private static void add(List<String> lines, String name, String value) {
        lines.add(String.format("%-11s %s", name, value));
    }

    /** Empty when run from class folders. */
    static Attributes manifest(CodeSource source) {
        if (source != null && source.getLocation().getPath().endsWith(".jar")) {
            try (JarFile jar = new JarFile(new File(source.getLocation().toURI()))) {
                Manifest manifest = jar.getManifest();
                return manifest == null ? new Attributes() : manifest.getMainAttributes();
            } catch (IOException | URISyntaxException e) {
                return new Attributes();
            }
        }
        return new Attributes();
    }

    /** A source archive has no repository: Maven then leaves the names of the properties in their places. */
    static String attribute(Attributes build, String name) {
        String value = build.getValue(name);
        return value == null || value.isEmpty() || value.startsWith("${") ? UNKNOWN : value;
    }

    static String commit(Attributes build) {
        String commit = attribute(build, "Build-Commit");
        return commit.equals(UNKNOWN) || attribute(build, "Build-Dirty").equals("false")
                ? commit
                : commit + ", with changes that are not committed";
    }

    private String kernel(String name) {
        try {
            return Files.readString(root.resolve("proc/sys/kernel").resolve(name))
                    .strip();
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** The C library that is mapped into this process, from the text that it prints when it is run. */
    private String libc() {
        Optional<String> path;
        try (Stream<String> maps = Files.lines(root.resolve("proc/self/maps"))) {
            path = maps.map(line -> line.substring(line.indexOf('/') + 1))
                    .filter(line -> line.matches(".*/(libc[.-][^/]*so[^/]*|ld-musl-[^/]*)"))
                    .findFirst();
        } catch (IOException e) {
            return UNKNOWN;
        }
        return path.map(this::libc).orElse(UNKNOWN);
    }

    private String libc(String path) {
        try {
            String bytes = Files.readString(root.resolve(path), StandardCharsets.ISO_8859_1);
            Matcher banner = GLIBC.matcher(bytes);
            return (banner.find() ? banner.group() : "musl or another, not glibc") + ", /" + path;
        } catch (IOException e) {
            return "/" + path;
        }
    }
}
