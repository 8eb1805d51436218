package dev.probestream.cli.nodetrace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The traces of all Node processes that a command starts. The traces are switched on with NODE_OPTIONS, which accepts
 * both options in Node 18 to 24.
 *
 * <p>Node holds up to 65,536 events and writes them when it exits, but not when a signal kills it, as it does at the end
 * of a recording. For processes that still run then, tracing is switched on and off again through the
 * inspector, which writes all buffered events.
 */
public final class LaunchedNodeTrace implements NodeTrace {
    private static final String NODE_OPTIONS = "NODE_OPTIONS";

    /** Does not open the inspector; selects a free port for it, so that several processes do not use the same one. */
    private static final String ANY_INSPECTOR_PORT = " --inspect-port=0";

    private final TraceCategories categories;
    private final TraceFolder folder;
    private final List<String> warnings = new ArrayList<>();

    /** Creates the folder for the files. */
    public LaunchedNodeTrace(TraceCategories categories) throws IOException {
        this.categories = categories;
        this.folder = TraceFolder.create();
    }

    /** The variables to set in the command's environment; keeps the user's NODE_OPTIONS. */
    public Map<String, String> environment(Map<String, String> users) {
        String own = "--trace-event-categories=" + categories.joined() + " --trace-event-file-pattern="
                + folder.path().resolve(TraceFolder.PATTERN) + ANY_INSPECTOR_PORT;
        String before = users.getOrDefault(NODE_OPTIONS, "").strip();
        return Map.of(NODE_OPTIONS, before.isEmpty() ? own : before + " " + own);
    }

    /** Does nothing: the command writes its trace itself. */
    @Override
    public void begin() {}

    @Override
    public void end() throws IOException {
        for (int pid : nodeProcesses()) {
            try (Inspector inspector = Inspector.of(pid)) {
                InspectorSession session = inspector.connect();
                session.send("NodeTracing.start", InspectorSession.categories(categories));
                session.send("NodeTracing.stop", Map.of());
            } catch (NodeTraceException e) {
                warnings.add("Node process " + pid + " did not write the end of its trace: " + e.getMessage());
            }
        }
    }

    /** The Node processes with the options of this recording. */
    private List<Integer> nodeProcesses() throws IOException {
        List<Integer> pids = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes.toList()) {
                String name = process.getFileName().toString();
                if (!name.isEmpty() && name.chars().allMatch(Character::isDigit) && hasOurFolder(process)) {
                    pids.add(Integer.parseInt(name));
                }
            }
        }
        pids.removeIf(pid -> !NodeProcess.isNode(pid));
        return pids;
    }

    private boolean hasOurFolder(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
                    .contains(folder.path().toString());
        } catch (IOException e) {
            return false; // the process has ended, or belongs to another user
        }
    }

    @Override
    public List<Path> files() throws IOException {
        return folder.files();
    }

    @Override
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    @Override
    public void close() throws IOException {
        folder.delete();
    }
}
