package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.cli.trace.ProbeLines.NumberFormat;
import dev.probestream.collector.dialect.Message;
import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import java.util.Locale;
import java.util.Optional;

/**
 * Formats hits as JSON, one object per line.
 *
 * <pre>
 *   timeNs       nanoseconds since 1970 (UTC); for a span its start
 *   monotonicNs  the same by CLOCK_MONOTONIC
 *   durationNs   the duration of a span; null if it had not returned
 *   pid, tid, cpu, comm, probe
 *   message      the formatted message, if the spec has one
 *   arguments    {name: number, text, true or false, null when it could not be read}
 *   returned     the return value, if it is recorded
 *   stack        [{symbol, module, offset, kind}], leaf first, if it is recorded; with file and line of the
 *                function, column, callLine, callColumn, sourceFile and sourceLine (by a source map) where they are known,
 *                inlined: true, async: true
 *   unavailable  [names] of values that could not be read, if any
 * </pre>
 */
final class JsonLines implements TracePublisher.LineWriter {
    private final TraceTimes times;
    private final MessageWriter messages;
    private final LineBuffer message = new LineBuffer();

    JsonLines(TraceTimes times) {
        this.times = times;
        this.messages = new MessageWriter(times);
    }

    @Override
    public String header() {
        return "";
    }

    @Override
    public void write(Hit hit, ProbeLines probe, Optional<Message> requested, LineBuffer out) {
        out.text("{\"timeNs\":").number(times.realtimeNs(hit.event.timestampNs()));
        out.text(",\"monotonicNs\":").number(hit.event.timestampNs());
        if (hit.isSpan()) {
            out.text(",\"durationNs\":");
            nullable(hit.event.durationNs() >= 0, hit.event.durationNs(), NumberFormat.SIGNED, out);
        }
        out.text(",\"pid\":").number(hit.event.pid());
        out.text(",\"tid\":").number(hit.event.tid());
        out.text(",\"cpu\":").number(hit.event.cpu());
        out.text(",\"comm\":").jsonText(hit.comm);
        out.text(",\"probe\":").jsonText(probe.name());
        if (requested.isPresent()) {
            message.clear();
            messages.write(requested.get(), hit, probe, message);
            out.text(",\"message\":").jsonText(message.bytes(), 0, message.length());
        }
        arguments(hit, probe, out);
        stack(hit, out);
        out.text("}\n");
    }

    private static void arguments(Hit hit, ProbeLines probe, LineBuffer out) {
        boolean isComplete = true;
        out.text(",\"arguments\":{");
        for (int i = 0; i < probe.argumentCount(); i++) {
            isComplete &= probe.isAvailable(hit, i);
            comma(i, out).jsonText(probe.argumentName(i)).ascii(':');
            if (probe.format(i) == NumberFormat.TEXT && probe.isAvailable(hit, i)) {
                int text = probe.place(i);
                out.jsonText(hit.event.buffer(), hit.event.stringOffset(text), hit.event.stringLengthBytes(text));
            } else {
                boolean isAvailable = probe.isAvailable(hit, i);
                nullable(isAvailable, isAvailable ? hit.event.number(probe.place(i)) : 0, probe.format(i), out);
            }
        }
        out.ascii('}');
        if (probe.hasReturnValue()) {
            isComplete &= probe.isReturnAvailable(hit);
            out.text(",\"returned\":");
            nullable(probe.isReturnAvailable(hit), hit.event.returnValue(), probe.returnFormat(), out);
        }
        if (!isComplete) {
            unavailable(hit, probe, out);
        }
    }

    private static void unavailable(Hit hit, ProbeLines probe, LineBuffer out) {
        int count = 0;
        out.text(",\"unavailable\":[");
        for (int i = 0; i < probe.argumentCount(); i++) {
            if (!probe.isAvailable(hit, i)) {
                comma(count++, out).jsonText(probe.argumentName(i));
            }
        }
        if (probe.hasReturnValue() && !probe.isReturnAvailable(hit)) {
            comma(count, out).jsonText("returned");
        }
        out.ascii(']');
    }

    private static void stack(Hit hit, LineBuffer out) {
        if (hit.stack == null) {
            return;
        }
        out.text(",\"stack\":[");
        int count = 0;
        for (Frame frame : hit.stack.getFrames()) {
            comma(count++, out);
            frame(frame, out);
        }
        out.ascii(']');
    }

    private static void frame(Frame frame, LineBuffer out) {
        out.text("{\"symbol\":").jsonText(FrameText.symbol(frame));
        out.text(",\"module\":").jsonText(frame.getModule());
        out.text(",\"offset\":").unsigned(frame.getOffset());
        out.text(",\"kind\":").jsonText(frame.getKind().name().toLowerCase(Locale.ROOT));
        text("file", frame.getFile(), out);
        number("line", frame.getLine(), out);
        number("column", frame.getColumn(), out);
        number("callLine", frame.getCallLine(), out);
        number("callColumn", frame.getCallColumn(), out);
        if (frame.getIsInlined()) {
            out.text(",\"inlined\":true");
        }
        if (frame.getIsAsync()) {
            out.text(",\"async\":true");
        }
        text("sourceFile", frame.getSourceFile(), out);
        number("sourceLine", frame.getSourceLine(), out);
        out.ascii('}');
    }

    private static void text(String name, String value, LineBuffer out) {
        if (!value.isEmpty()) {
            out.ascii(',').jsonText(name).ascii(':').jsonText(value);
        }
    }

    private static void number(String name, int value, LineBuffer out) {
        if (value != 0) {
            out.ascii(',').jsonText(name).ascii(':').number(value);
        }
    }

    /** A number; addresses are decimal here, as JSON has no other numbers. */
    private static void nullable(boolean isAvailable, long value, NumberFormat form, LineBuffer out) {
        if (!isAvailable) {
            out.text("null");
        } else if (form == NumberFormat.ADDRESS) {
            out.unsigned(value);
        } else {
            ArgumentWriter.number(value, form, out);
        }
    }

    private static LineBuffer comma(int index, LineBuffer out) {
        return index == 0 ? out : out.ascii(',');
    }
}
