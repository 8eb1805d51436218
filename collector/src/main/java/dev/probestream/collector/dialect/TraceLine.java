package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.probe.LineSyntaxException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.parse.SpecParser;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A probe and the format in which its hits are printed.
 *
 * @param spec the probe, with the arguments that the message needs
 * @param message the format of a hit; empty = every argument with its name
 */
public record TraceLine(ProbeSpec spec, Optional<Message> message) {
    /**
     * Parses a line in one of three syntaxes. A line with a block in braces is a bpftrace program. A line that begins
     * with p:, r: or t:, or that has a format or a condition in parentheses after u:, is in bcc's syntax. Everything
     * else is a probe spec.
     *
     * @param line as the user typed it
     * @return one line for each probe; several if a bpftrace program has several probes
     * @throws LineSyntaxException if the line is malformed or not supported
     * @throws SpecSyntaxException if the line is a malformed probe spec
     */
    public static List<TraceLine> parse(String line) {
        return switch (Dialect.of(line)) {
            case SPEC -> List.of(new TraceLine(SpecParser.parse(line), Optional.empty()));
            case BCC -> List.of(new BccLine(line).parse());
            case BPFTRACE -> new BpftraceProgram<>(line, new BpftracePrint()).parse();
        };
    }

    /**
     * {@return the time after which a bpftrace program ends itself; empty for other lines}
     *
     * @param line as of {@link #parse}
     */
    public static Optional<Duration> limit(String line) {
        if (Dialect.of(line) != Dialect.BPFTRACE) {
            return Optional.empty();
        }
        BpftraceProgram<TraceLine> program = new BpftraceProgram<>(line, new BpftracePrint());
        program.parse();
        return program.limit();
    }

    /**
     * {@return the probes of a line that prints nothing, for commands that record or count}
     *
     * @param line as the user typed it
     * @param command the command's name, for the message
     * @throws LineSyntaxException if the line is malformed, not supported, or has a format
     * @throws SpecSyntaxException if the line is a malformed probe spec
     */
    public static List<ProbeSpec> probes(String line, String command) {
        List<TraceLine> lines = parse(line);
        for (TraceLine parsed : lines) {
            if (parsed.message().isPresent()) {
                throw new LineSyntaxException(
                        line,
                        Math.max(0, line.indexOf('"')),
                        command + " does not print a format: use trace, or the probe spec '"
                                + parsed.spec().text() + "'");
            }
        }
        return lines.stream().map(TraceLine::spec).toList();
    }

    /**
     * Parses the spec that a bcc or bpftrace line was translated to. A syntax error is reported at the probe in the
     * line.
     */
    static ProbeSpec translated(LineScanner line, int position, String spec) {
        try {
            return SpecParser.parse(spec);
        } catch (SpecSyntaxException e) {
            throw line.failAt(position, "translated to the invalid probe spec '" + spec + "': " + problem(e));
        }
    }

    private static String problem(SpecSyntaxException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
