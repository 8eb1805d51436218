package dev.probestream.collector.internal.process;

import dev.probestream.bpf.elf.ElfFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the files that a program will run code from when it starts. Its libraries are those listed by its dynamic
 * linker ({@code ld.so --list}, as ldd(1) does), which runs no code of the program or its libraries. Of the libraries
 * loaded later only the Java launcher's {@code libjvm.so} is included, which has a fixed location in every JDK since 9.
 *
 * <p>A file missing here, such as a plugin, is found when it is mapped. A file listed here but never loaded does no
 * harm.
 */
final class LaunchFiles {
    /** The linkers of glibc and musl. Other interpreters are not run. */
    private static final Pattern DYNAMIC_LINKER = Pattern.compile("ld-(linux|musl)[-.\\w]*");

    /** {@code libz.so.1 => /lib/libz.so.1 (0x00007f10bfb74000)}, or the path alone. */
    private static final Pattern LISTED = Pattern.compile("\\s*(?:\\S+ => )?(/.*) \\(0x[0-9a-f]+\\)");

    /** Variables that make the linker do more than load: run other code, relocate, print. */
    private static final List<String> LINKER_EXTRAS = List.of("LD_AUDIT", "LD_WARN", "LD_VERBOSE", "LD_DEBUG");

    private static final int MAX_PATH_BYTES = 4096; // PATH_MAX of linux/limits.h
    private static final long LINKER_TIMEOUT_S = 10;

    private LaunchFiles() {}

    /**
     * Returns the executable first, then its libraries, all without symbolic links; only the executable if there is no
     * linker.
     *
     * @param executable an ELF file
     * @param like has the environment and the folder that the program will have
     */
    static List<Path> of(Path executable, ProcessBuilder like) {
        List<Path> files = new ArrayList<>(List.of(executable));
        try {
            Optional<String> linker = linker(executable);
            if (linker.isPresent()) {
                list(List.of(linker.get(), "--list", executable.toString()), like)
                        .forEach(file -> add(file, files));
            }
        } catch (IOException e) {
            // Not readable, or not an ELF file: probing or running the executable reports it.
            return files;
        }
        add(executable.resolveSibling("../lib/server/libjvm.so"), files);
        return files;
    }

    private static Optional<String> linker(Path executable) throws IOException {
        try (ElfFile elf = ElfFile.open(executable)) {
            OptionalLong address = elf.sectionAddress(".interp");
            if (address.isEmpty()) {
                return Optional.empty();
            }
            ByteBuffer text = elf.bytesAt(address.getAsLong(), MAX_PATH_BYTES);
            byte[] bytes = new byte[text.remaining()];
            text.get(bytes);
            String path = new String(bytes, StandardCharsets.UTF_8).split("\0", 2)[0];
            boolean isKnown = DYNAMIC_LINKER
                    .matcher(path.substring(path.lastIndexOf('/') + 1))
                    .matches();
            return isKnown && Files.isExecutable(Path.of(path)) ? Optional.of(path) : Optional.empty();
        }
    }

    private static List<Path> list(List<String> command, ProcessBuilder like) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(like.directory()).redirectError(ProcessBuilder.Redirect.DISCARD);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(like.environment());
        environment.keySet().removeAll(LINKER_EXTRAS);
        Process process = builder.start();
        process.onExit().orTimeout(LINKER_TIMEOUT_S, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output.lines()
                .map(LISTED::matcher)
                .filter(Matcher::matches)
                .map(line -> Path.of(line.group(1)))
                .toList();
    }

    /** Adds a file under the path that /proc/PID/maps will show. */
    private static void add(Path file, List<Path> files) {
        try {
            Path real = file.toRealPath();
            if (!files.contains(real)) {
                files.add(real);
            }
        } catch (IOException e) {
            return; // does not exist
        }
    }
}
