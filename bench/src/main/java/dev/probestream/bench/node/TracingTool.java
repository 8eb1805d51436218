package dev.probestream.bench.node;

import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A way to watch the server, started anew for each run of the load. */
final class TracingTool {
    private static final Pattern OUR_LOSS = Pattern.compile("([\\d,]+) LOST");
    private static final Pattern BPFTRACE_LOSS = Pattern.compile("(?m)^Lost (\\d+) events$");

    private final String name;
    private final List<String> command;
    private final String ready;
    private final Path output;

    private TracingTool(String name, List<String> command, String ready, Path output) {
        this.name = name;
        this.command = command;
        this.ready = ready;
        this.output = output;
    }

    /** Nothing to start: nothing watches, or what watches is in the server. */
    static TracingTool builtIn(String name) {
        return new TracingTool(name, List.of(), "", Tool.NOWHERE);
    }

    /**
     * A command of ours.
     *
     * @param ready what it prints when its probes are attached
     * @param output takes its lines
     */
    static TracingTool ours(String name, List<String> command, String ready, Path output) {
        return new TracingTool(name, command, ready, output);
    }

    /** A program of bpftrace, which prints into a file. */
    static TracingTool bpftrace(String name, NodeProgram server, String program, Path output) {
        return new TracingTool(
                name,
                List.of(
                        "bpftrace",
                        "-p",
                        Long.toString(server.pid()),
                        "-e",
                        "BEGIN { printf(\"ready\\n\"); } " + program),
                "ready\n",
                output);
    }

    String name() {
        return name;
    }

    boolean isBuiltIn() {
        return command.isEmpty();
    }

    /** Whether it is one of ours that writes {@link ImpactWays#recording}. */
    boolean hasRecording() {
        return command.contains("record");
    }

    boolean hasBudget() {
        return command.contains("--budget");
    }

    /** Starts it, with all probes in place. */
    Tool start(Path folder) throws IOException {
        Tool tool = Tool.start(folder, output, command);
        try {
            tool.await("attach", () -> (tool.messages() + tool.output()).contains(ready));
            return tool;
        } catch (IOException e) {
            tool.close();
            throw e;
        }
    }

    /** How many hits it reports as lost, when it has ended. */
    static long lost(Tool tool) throws IOException {
        long lost = 0;
        Matcher ours = OUR_LOSS.matcher(tool.messages());
        Matcher theirs = BPFTRACE_LOSS.matcher(tool.output());
        while (ours.find()) {
            lost += Long.parseLong(ours.group(1).replace(",", ""));
        }
        while (theirs.find()) {
            lost += Long.parseLong(theirs.group(1));
        }
        return lost;
    }
}
