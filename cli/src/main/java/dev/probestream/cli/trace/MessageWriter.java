package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.Printf;
import dev.probestream.cli.live.StackLines;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.cli.live.ValueReader;
import dev.probestream.collector.dialect.Message;
import dev.probestream.collector.dialect.PrintfConversion;

/** Prints the parts of a message with the values of a hit. A value that could not be read is printed as ?. */
final class MessageWriter {
    private static final String UNAVAILABLE = "?";

    private final TraceTimes times;

    MessageWriter(TraceTimes times) {
        this.times = times;
    }

    void write(Message message, Hit hit, ProbeLines probe, LineBuffer out) {
        Printf printf = new Printf(out);
        for (int i = 0; i < message.parts().size(); i++) {
            part(message.parts().get(i), hit, probe, printf, out);
        }
    }

    private void part(Message.Part part, Hit hit, ProbeLines probe, Printf printf, LineBuffer out) {
        PrintfConversion conversion = part.conversion();
        switch (part.source()) {
            case ARGUMENT -> argument(part, hit, probe, printf);
            case RETURN_VALUE -> {
                if (probe.isReturnAvailable(hit)) {
                    printf.number(hit.event.returnValue(), conversion);
                } else {
                    printf.literal(UNAVAILABLE, conversion);
                }
            }
            case COMPUTED -> {
                ValueReader value = probe.computed(part.text());
                if (value.isReadable(hit.event)) {
                    printf.number(value.value(hit.event), conversion);
                } else {
                    printf.literal(UNAVAILABLE, conversion);
                }
            }
            case PID -> printf.number(hit.event.pid(), conversion);
            case TID -> printf.number(hit.event.tid(), conversion);
            case UID -> {
                if (hit.uid == Hit.UNKNOWN_UID) {
                    printf.literal(UNAVAILABLE, conversion);
                } else {
                    printf.number(hit.uid, conversion);
                }
            }
            case CPU -> printf.number(hit.event.cpu(), conversion);
            case COMM -> printf.text(hit.comm, conversion);
            case TIMESTAMP -> printf.number(hit.timeNs(), conversion);
            case ELAPSED -> printf.number(hit.timeNs() - times.startNs(), conversion);
            case PROBE -> printf.text(part.text() + probe.name(), conversion);
            case FUNCTION -> printf.text(probe.name(), conversion);
            // bpftrace prints a stack on separate lines.
            case USER_STACK -> StackLines.write(hit.stack, false, part.number(), out.ascii('\n'));
            case KERNEL_STACK -> StackLines.write(hit.stack, true, part.number(), out.ascii('\n'));
            case NUMBER -> printf.number(part.number(), conversion);
            case LITERAL -> printf.literal(part.text(), conversion);
        }
    }

    private static void argument(Message.Part part, Hit hit, ProbeLines probe, Printf printf) {
        int argument = part.argument();
        PrintfConversion conversion = part.conversion();
        if (argument >= probe.argumentCount() || !probe.isAvailable(hit, argument)) {
            printf.literal(UNAVAILABLE, conversion);
        } else if (probe.format(argument) == ProbeLines.NumberFormat.TEXT) {
            int text = probe.place(argument);
            int lengthBytes = hit.event.stringLengthBytes(text);
            long most = part.number() > 0 ? part.number() - 1 : Long.MAX_VALUE;
            printf.text(hit.event.buffer(), hit.event.stringOffset(text), lengthBytes, most, conversion);
        } else {
            printf.number(hit.event.number(probe.place(argument)), conversion);
        }
    }
}
