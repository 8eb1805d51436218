package dev.probestream.cli.nodetrace;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The temporary folder for Node's trace. */
record TraceFolder(Path path) {
    /** Node replaces the variables. */
    static final String PATTERN = "node_trace.${pid}.${rotation}.log";

    private static final Pattern NAME = Pattern.compile("node_trace\\.(\\d{1,9})\\.(\\d{1,9})\\.log");

    static TraceFolder create() throws IOException {
        return new TraceFolder(PrivateFiles.createTemporaryFolder("probestream-node-trace-"));
    }

    /** The file of a process with a single file. */
    Path file(int pid) {
        return path.resolve("node_trace." + pid + ".1.log");
    }

    /** By pid, then in the order of writing; without empty files. */
    List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(path)) {
            return all.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .filter(file -> file.toFile().length() > 0)
                    .sorted(Comparator.comparingLong(TraceFolder::order))
                    .toList();
        }
    }

    private static long order(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) << Integer.SIZE | Long.parseLong(name.group(2)) : 0;
    }

    void delete() throws IOException {
        try (Stream<Path> tree = Files.walk(path)) {
            for (Path file : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            // The folder does not exist.
        }
    }
}
