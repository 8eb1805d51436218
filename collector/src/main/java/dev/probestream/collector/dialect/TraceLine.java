package dev.probestream.collector.dialect;

import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.List;
import java.util.Optional;

/**
 * What to print at the hits of one probe.
 *
 * @param spec the probe, with what the message needs among its arguments
 * @param message how a hit is printed; empty = every argument with its name
 */
public record TraceLine(ProbeSpec spec, Optional<Message> message) {
    /**
     * Reads a line in one of three spellings. What holds a block in braces is bpftrace's; what begins with p:, r: or t:,
     * or has a format or a condition in parentheses behind u:, is bcc's; everything else is a spec of our own.
     *
     * @return one line for each probe; several when a bpftrace program names several
     * @throws LineSyntaxException when it cannot be understood, or asks for what cannot be done
     * @throws SpecSyntaxException when it is a spec of our own that cannot be understood
     */
    public static List<TraceLine> parse(String line) {
        return switch (Dialect.of(line)) {
            case OWN -> List.of(new TraceLine(ProbeSpec.parse(line), Optional.empty()));
            case BCC -> List.of(new BccLine(line).parse());
            case BPFTRACE -> new BpftraceProgram(line).parse();
        };
    }

    /** Reads the text that a foreign line was translated to; a fault of it is shown at the probe in that line. */
    static ProbeSpec translated(LineScanner line, int position, String spec) {
        try {
            return ProbeSpec.parse(spec);
        } catch (SpecSyntaxException e) {
            throw line.failAt(position, "this means '" + spec + "' here, and that cannot be: " + problem(e));
        }
    }

    private static String problem(SpecSyntaxException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
