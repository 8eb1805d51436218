package dev.probestream.bench.probe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running {@code probestream trace}, started as a user starts it. */
final class TraceProcess implements TraceRounds.Tracer {
    private static final String READY = "tracing with ";
    private static final Pattern SUMMARY =
            Pattern.compile("printed ([\\d,]+) lines? of [\\d,]+ events? in [^,]+, (none lost|([\\d,]+) LOST)");

    private final Tool tool;

    private TraceProcess(Tool tool) {
        this.tool = tool;
    }

    /**
     * What it prints at its end.
     *
     * @param lines printed
     * @param lost hits that did not become lines
     */
    record Summary(long lines, long lost) {
        static Summary parse(String messages) {
            Matcher matcher = SUMMARY.matcher(messages);
            if (!matcher.find()) {
                throw new IllegalStateException("probestream trace ended without saying what it printed: " + messages);
            }
            String lost = matcher.group(3);
            return new Summary(number(matcher.group(1)), lost == null ? 0 : number(lost));
        }

        private static long number(String text) {
            return Long.parseLong(text.replace(",", ""));
        }
    }

    /**
     * Starts it and waits until the probe is in place.
     *
     * @param launcher {@code ./probestream}
     * @param folder for its messages
     * @param output takes the lines
     * @param line in a spelling that it knows
     */
    static TraceProcess start(Path launcher, Path folder, TargetProgram target, Path output, String line)
            throws IOException {
        List<String> command = List.of(launcher.toString(), "trace", "-p", Integer.toString(target.pid()), line);
        TraceProcess trace = new TraceProcess(Tool.start(folder, output, command));
        try {
            trace.tool.await("attach", () -> trace.tool.messages().contains(READY));
            return trace;
        } catch (IOException e) {
            trace.close();
            throw e;
        }
    }

    @Override
    public Tool tool() {
        return tool;
    }

    @Override
    public long finish() throws IOException {
        close();
        return Summary.parse(tool.messages()).lost();
    }

    @Override
    public void close() {
        tool.close();
    }
}
