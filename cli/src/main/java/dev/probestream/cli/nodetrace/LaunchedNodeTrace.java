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
 * The traces of all Node processes that a command starts. They are told by NODE_OPTIONS, which every Node from 18 to 24
 * lets set these two options.
 *
 * <p>Node holds up to 65,536 events and writes them when it exits, but not when a signal kills it, as it does at the end
 * of a recording. So processes that still run then are made to write: tracing is switched on and off again over the
 * inspector, which writes everything that is held.
 */
public final class LaunchedNodeTrace implements NodeTrace {
    private static final String NODE_OPTIONS = "NODE_OPTIONS";

    /** Opens nothing by itself: says where, when it is to be opened, so that several processes do not meet there. */
    private static final String ANY_INSPECTOR_PORT = " --inspect-port=0";

    private final TraceCategories categories;
    private final TraceFolder folder;
    private final List<String> notices = new ArrayList<>();

    /** Makes the folder for the files. */
    public LaunchedNodeTrace(TraceCategories categories) throws IOException {
        this.categories = categories;
        this.folder = TraceFolder.create();
    }

    /** What the command's environment must have; keeps the user's own NODE_OPTIONS. */
    public Map<String, String> environment(Map<String, String> users) {
        String own = "--trace-event-categories=" + categories.joined() + " --trace-event-file-pattern="
                + folder.path().resolve(TraceFolder.PATTERN) + ANY_INSPECTOR_PORT;
        String before = users.getOrDefault(NODE_OPTIONS, "").strip();
        return Map.of(NODE_OPTIONS, before.isEmpty() ? own : before + " " + own);
    }

    /** The command does it itself. */
    @Override
    public void begin() {}

    @Override
    public void end() throws IOException {
        for (int pid : told()) {
            try (Inspector inspector = Inspector.of(pid)) {
                InspectorSession session = inspector.connect();
                session.send("NodeTracing.start", InspectorSession.categories(categories));
                session.send("NodeTracing.stop", Map.of());
            } catch (NodeTraceException e) {
                notices.add("Node process " + pid + " did not write the last of its own trace: " + e.getMessage());
            }
        }
    }

    /** The Node processes that have our options. */
    private List<Integer> told() throws IOException {
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
            return false; // it has gone, or is another user's
        }
    }

    @Override
    public List<Path> files() throws IOException {
        return folder.files();
    }

    @Override
    public List<String> notices() {
        return List.copyOf(notices);
    }

    @Override
    public void close() throws IOException {
        folder.delete();
    }
}
