package dev.probestream.bpf.proc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the small files of /proc/PID, and describes why that failed. */
public final class ProcFile {
    private static final Pattern IN_PROCESS = Pattern.compile("/proc/([0-9]{1,9})/");

    private ProcFile() {}

    /**
     * {@return a path below /proc}
     *
     * @param pid of the process
     * @param name below its folder
     */
    public static Path of(int pid, String name) {
        return Path.of("/proc/" + pid + "/" + name);
    }

    /**
     * {@return the process in whose folder of /proc a path lies; empty for any other path}
     *
     * @param file its path
     */
    public static OptionalInt pidOf(Path file) {
        Matcher inProcess = IN_PROCESS.matcher(file.toString());
        return inProcess.lookingAt() ? OptionalInt.of(Integer.parseInt(inProcess.group(1))) : OptionalInt.empty();
    }

    /**
     * Reads a file of a process as text.
     *
     * @param pid of the process
     * @param name below its folder
     * @return its contents
     * @throws IOException if the process has ended or access is denied
     */
    public static String read(int pid, String name) throws IOException {
        return new String(Files.readAllBytes(of(pid, name)), UTF_8);
    }

    /**
     * {@return the value of a {@code Name:\tvalue} line of /proc/PID/status}
     *
     * @param status the text of the file
     * @param name its name
     */
    public static Optional<String> statusField(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    /**
     * {@return whether privileges are missing}
     *
     * @param e what reading a file of /proc threw
     */
    public static boolean isDenied(IOException e) {
        // A file of /proc may be opened but not read; java.nio has no exception type for that.
        return e instanceof AccessDeniedException
                || String.valueOf(e.getMessage()).contains("ermission denied");
    }

    /**
     * {@return the system's error without the path; exceptions of java.nio have the path as their message}
     *
     * @param e of java.nio
     */
    public static String reason(IOException e) {
        if (isDenied(e)) {
            return "permission denied";
        }
        return e instanceof NoSuchFileException ? "no such file or directory" : String.valueOf(e.getMessage());
    }
}
