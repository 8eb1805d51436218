package dev.probestream.bpf.kernel;

import dev.probestream.bpf.sys.Errno;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kernel's verifier rejected a program; the message ends with the last lines of its log, which have the reason. */
public final class VerifierException extends RuntimeException {
    private static final int LAST_LINES = 4;

    private final String programName;
    private final String log;

    VerifierException(String programName, Errno errno, String log) {
        super("load program " + programName + ": " + errno + " (the verifier rejects it)"
                + sourceLine(log).map(line -> "\n    at " + line).orElse("")
                + lastLines(log).stream().map(line -> "\n    " + line).collect(Collectors.joining()));
        this.programName = programName;
        this.log = log;
    }

    /** {@return the name of the program that was rejected} */
    public String programName() {
        return programName;
    }

    /**
     * {@return the line of the source at which the verifier stopped, as {@code text @ file:line}; empty for a program
     * without line records}
     */
    public Optional<String> sourceLine() {
        return sourceLine(log);
    }

    /** The verifier prints a line behind a semicolon before the first of its instructions. */
    static Optional<String> sourceLine(String log) {
        return log.lines()
                .filter(line -> line.startsWith("; "))
                .map(line -> line.substring(2).strip())
                .reduce((first, second) -> second);
    }

    /** {@return the complete log of the verifier} */
    public String log() {
        return log;
    }

    /** The last lines before the statistics that end every log. */
    static List<String> lastLines(String log) {
        List<String> lines = log.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !isStatistics(line))
                .toList();
        return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
    }

    private static boolean isStatistics(String line) {
        return line.startsWith("processed ")
                || line.startsWith("verification time ")
                || line.startsWith("stack depth ");
    }
}
