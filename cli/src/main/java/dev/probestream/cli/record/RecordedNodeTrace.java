package dev.probestream.cli.record;

import dev.probestream.cli.nodetrace.InspectedNodeTrace;
import dev.probestream.cli.nodetrace.LaunchedNodeTrace;
import dev.probestream.cli.nodetrace.NodeTrace;
import dev.probestream.cli.nodetrace.TraceCategories;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Node's own trace beside a recording, and the messages about it. */
final class RecordedNodeTrace implements AutoCloseable {
    private final TargetSelection selection;
    private final NodeTrace trace;
    private final Terminal terminal;
    private int warningsPrinted;

    private RecordedNodeTrace(TargetSelection selection, NodeTrace trace, Terminal terminal) {
        this.selection = selection;
        this.trace = trace;
        this.terminal = terminal;
    }

    static RecordedNodeTrace of(TargetSelection selection, TraceCategories categories, Terminal terminal)
            throws IOException {
        if (selection.command().isEmpty()) {
            int pid = selection.pids().get(0);
            terminal.print(InspectedNodeTrace.warning(pid));
            return new RecordedNodeTrace(selection, new InspectedNodeTrace(pid, categories), terminal);
        }
        LaunchedNodeTrace launched = new LaunchedNodeTrace(categories);
        return new RecordedNodeTrace(
                selection.withEnvironment(launched.environment(System.getenv())), launched, terminal);
    }

    /** The selection as given; a command gets the environment that switches on the trace. */
    TargetSelection selection() {
        return selection;
    }

    void begin() throws IOException {
        trace.begin();
        sayNotices();
    }

    void end() throws IOException {
        trace.end();
        sayNotices();
    }

    private void sayNotices() {
        List<String> warnings = trace.warnings();
        warnings.subList(warningsPrinted, warnings.size()).forEach(terminal::print);
        warningsPrinted = warnings.size();
    }

    /** The files that Node wrote; prints a warning if there are none. */
    List<Path> files() throws IOException {
        List<Path> files = trace.files();
        if (files.isEmpty()) {
            terminal.print("Node wrote no trace: it was killed before it could write, or it was never started");
        }
        return files;
    }

    /** Keeps the files beside the recording, and prints how to merge them. */
    void keepBeside(Path recording) throws IOException {
        List<Path> kept = new ArrayList<>();
        for (Path file : files()) {
            Path place = Path.of(recording + ".node_trace." + (kept.size() + 1) + ".log");
            PrivateFiles.adopt(file);
            kept.add(Files.move(file, place, StandardCopyOption.REPLACE_EXISTING));
        }
        if (!kept.isEmpty()) {
            terminal.print("Node's own trace: " + kept.get(0) + (kept.size() == 1 ? "" : " to ." + kept.size() + ".log")
                    + "; merge it with: probestream convert " + recording + " -o trace.pftrace --merge " + recording
                    + ".node_trace.*.log");
        }
    }

    @Override
    public void close() throws IOException {
        trace.close();
    }
}
