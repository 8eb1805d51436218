package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.StackLines;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.collector.dialect.Message;
import java.util.Optional;

/** Formats hits as text: TIME [CPU] PID TID COMM PROBE MESSAGE, or only the text of a bpftrace printf. */
final class TextLines implements TracePublisher.LineWriter {
    private static final int CPU_WIDTH = 4;
    private static final int ID_WIDTH = 7;
    private static final int COMM_WIDTH = 15;
    private static final int PROBE_WIDTH = 20;

    private final TraceOptions options;
    private final TraceTimes times;
    private final MessageWriter messages;

    TextLines(TraceOptions options, TraceTimes times) {
        this.options = options;
        this.times = times;
        this.messages = new MessageWriter(times);
    }

    @Override
    public String header() {
        if (!options.hasColumns()) {
            return "";
        }
        return String.format("%-" + options.time().width() + "s ", "TIME")
                + (options.cpu() ? "CPU  " : "")
                + "PID     TID     COMM            PROBE                MESSAGE\n";
    }

    @Override
    public void write(Hit hit, ProbeLines probe, Optional<Message> message, LineBuffer out) {
        boolean isPlain = message.isPresent() && message.get().style() == Message.Style.PLAIN;
        if (!isPlain) {
            columns(hit, probe, out);
        }
        if (message.isPresent()) {
            messages.write(message.get(), hit, probe, out);
        } else {
            ArgumentWriter.write(hit, probe, out);
        }
        if (!isPlain) {
            out.ascii('\n');
        }
        boolean isOwn = message.isEmpty();
        if (isOwn || options.kernelStacks()) {
            StackLines.write(hit.stack, true, 0, out);
        }
        if (isOwn || options.userStacks()) {
            StackLines.write(hit.stack, false, 0, out);
        }
    }

    private void columns(Hit hit, ProbeLines probe, LineBuffer out) {
        int start = out.length();
        switch (options.time()) {
            case SINCE_START -> times.sinceStart(hit.timeNs(), out);
            case OF_DAY -> times.ofDay(hit.timeNs(), out);
            case UNIX -> out.seconds(times.realtimeNs(hit.timeNs()));
        }
        column(start, options.time().width(), out);
        if (options.cpu()) {
            start = out.length();
            column(start, CPU_WIDTH, out.number(hit.event.cpu()));
        }
        start = out.length();
        column(start, ID_WIDTH, out.number(hit.event.pid()));
        start = out.length();
        column(start, ID_WIDTH, out.number(hit.event.tid()));
        start = out.length();
        column(start, COMM_WIDTH, out.escaped(hit.comm));
        start = out.length();
        column(start, PROBE_WIDTH, out.escaped(probe.name()));
    }

    private static void column(int start, int width, LineBuffer out) {
        out.padSince(start, width, true).ascii(' ');
    }
}
