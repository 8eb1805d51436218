package dev.probestream.bench.probe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running bpftrace that probes the target. */
public final class Bpftrace implements TraceRounds.Tracer {
    /** A call without a probe takes 1 or 2 on average, one with a probe some hundreds. */
    private static final long PROBED_CALL_NS = 100;

    private static final int TRIAL_CALLS = 10_000;

    /** What BEGIN prints is shown by the loop that polls, and that begins when every probe is attached. */
    private static final String READY = "ready";

    /** A count of a map ("@[7]: 100"), or a bucket of a histogram ("[2K, 4K)  100 |@@  |"). */
    private static final Pattern COUNT =
            Pattern.compile("(?m)^(?:@\\w*(?:\\[.*])?: |[\\[(].*[])] +)(\\d+)(?: +\\|.*)?$");

    private static final Pattern LOST = Pattern.compile("(?m)^Lost (\\d+) events$");

    private final Tool tool;

    private Bpftrace(Tool tool) {
        this.tool = tool;
    }

    /** Its version, or empty text when it is not installed. */
    public static String version() throws InterruptedException {
        try {
            Process asked = new ProcessBuilder("bpftrace", "--version").start();
            String version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return asked.waitFor() == 0 ? version : "";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Starts it; the target's calls are probed from some later moment.
     *
     * @param folder for its messages
     * @param action what is done at a hit, in its language; what it prints goes to /dev/null
     */
    static Bpftrace start(Path folder, TargetProgram target, String action) throws IOException {
        return new Bpftrace(start(folder, target, Tool.NOWHERE, entry(target) + " { " + action + " }"));
    }

    /**
     * Starts it and waits until all of its probes are in place: it sees every call from then on.
     *
     * @param output a file, which takes what it prints
     * @param program in its language
     */
    static Bpftrace ready(Path folder, TargetProgram target, Path output, String program) throws IOException {
        String whole = "BEGIN { printf(\"" + READY + "\\n\"); } " + program;
        Bpftrace bpftrace = new Bpftrace(start(folder, target, output, whole));
        try {
            bpftrace.tool.await("attach", () -> bpftrace.tool.output().lines().anyMatch(READY::equals));
            return bpftrace;
        } catch (IOException e) {
            bpftrace.close();
            throw e;
        }
    }

    /** Where the target's function begins. */
    static String entry(TargetProgram target) {
        return "uprobe:" + target.executable() + ":" + TargetProgram.FUNCTION;
    }

    /** Where it returns. */
    static String exit(TargetProgram target) {
        return "uretprobe:" + target.executable() + ":" + TargetProgram.FUNCTION;
    }

    /** Waits until the target's calls are probed. */
    void awaitProbe(TargetProgram target) throws IOException {
        tool.await("probe " + target.executable(), () -> target.call(TRIAL_CALLS) >= PROBED_CALL_NS * TRIAL_CALLS);
    }

    @Override
    public Tool tool() {
        return tool;
    }

    /** bpftrace reports lost events with the next event that has room; the last losses are not reported. */
    @Override
    public long finish() throws IOException {
        close();
        return lost(tool.output());
    }

    /** Ends it and gives all counts and buckets of the map that it prints then, added up. */
    long finishCounting() throws IOException {
        close();
        return total(tool.output());
    }

    /** What its maps hold in all, when it printed them at its end. */
    static long total(String output) {
        return sum(COUNT, output);
    }

    /** The number of lost events that it reported. */
    static long lost(String output) {
        return sum(LOST, output);
    }

    @Override
    public void close() {
        tool.close();
    }

    private static Tool start(Path folder, TargetProgram target, Path output, String program) throws IOException {
        return Tool.start(folder, output, List.of("bpftrace", "-p", Integer.toString(target.pid()), "-e", program));
    }

    private static long sum(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group(1));
        }
        return sum;
    }
}
