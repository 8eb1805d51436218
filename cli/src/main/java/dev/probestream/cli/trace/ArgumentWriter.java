package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.trace.ProbeLines.NumberFormat;
import dev.probestream.schema.record.EventKind;

/** Prints a hit without a message: each argument with its name, the return value, the duration. */
final class ArgumentWriter {
    private ArgumentWriter() {}

    static void write(Hit hit, ProbeLines probe, LineBuffer out) {
        int start = out.length();
        for (int i = 0; i < probe.argumentCount(); i++) {
            blank(start, out);
            out.escaped(probe.argumentName(i)).ascii('=');
            argument(hit, probe, i, out);
        }
        if (probe.hasReturnValue() && hit.event.kind() != EventKind.OPEN_SPAN) {
            blank(start, out);
            out.text("-> ");
            if (probe.isReturnAvailable(hit)) {
                number(hit.event.returnValue(), probe.returnFormat(), out);
            } else {
                out.ascii('?');
            }
        }
        if (hit.isSpan()) {
            blank(start, out);
            duration(hit, out);
        }
    }

    static void number(long value, NumberFormat form, LineBuffer out) {
        switch (form) {
            case SIGNED -> out.number(value);
            case UNSIGNED -> out.unsigned(value);
            case ADDRESS -> out.text("0x").inBase(value, 4, false);
            case BOOLEAN -> out.text(value == 0 ? "false" : "true");
            case TEXT -> throw new IllegalArgumentException("not a number: a text");
        }
    }

    private static void argument(Hit hit, ProbeLines probe, int argument, LineBuffer out) {
        if (!probe.isAvailable(hit, argument)) {
            out.ascii('?');
        } else if (probe.format(argument) == NumberFormat.TEXT) {
            int text = probe.place(argument);
            out.ascii('"');
            out.escaped(hit.event.buffer(), hit.event.stringOffset(text), hit.event.stringLengthBytes(text), true);
            out.ascii('"');
        } else {
            number(hit.event.number(probe.place(argument)), probe.format(argument), out);
        }
    }

    /** Microseconds with three decimals; one unit makes lines comparable. */
    private static void duration(Hit hit, LineBuffer out) {
        if (hit.event.kind() == EventKind.OPEN_SPAN) {
            out.text("(did not return)");
            return;
        }
        long ns = hit.event.durationNs();
        out.ascii('(').unsigned(ns / 1000).ascii('.').decimal(ns % 1000, 3).text(" us)");
    }

    private static void blank(int start, LineBuffer out) {
        if (out.length() > start) {
            out.ascii(' ');
        }
    }
}
