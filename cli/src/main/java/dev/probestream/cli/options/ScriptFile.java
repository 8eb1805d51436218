package dev.probestream.cli.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A bpftrace program in a file: bpftrace's own tools are called {@code NAME.bt}. */
public final class ScriptFile {
    private static final String ENDING = ".bt";

    private ScriptFile() {}

    /**
     * Puts the programs in place of the names of their files.
     *
     * @param specs as they are on the command line
     * @throws IOException when a file whose name ends in {@code .bt} cannot be read
     */
    public static List<String> read(List<String> specs) throws IOException {
        List<String> read = new ArrayList<>();
        for (String spec : specs) {
            boolean isFile = spec.endsWith(ENDING) && Files.isRegularFile(Path.of(spec));
            read.add(isFile ? Files.readString(Path.of(spec)) : spec);
        }
        return read;
    }
}
