package dev.probestream.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.ExaminedProcess;
import dev.probestream.collector.catalog.JavaScriptNaming;
import dev.probestream.collector.catalog.PerfMapState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether the stacks of a Node.js process have names, and reports the limits of HTTP tracing. */
final class NodeTargetChecks {
    private static final String STACKS = "JavaScript stacks";
    private static final String ASYNC = "async callers";
    private static final String CONTEXTS = "async contexts";
    private static final String OFFICIAL_BUILD = "use an official build of Node.js 18, 20, 22, 24 or 26";
    private static final String PERF_MAP = "perf-basic-prof";
    private static final String INTERPRETED = "interpreted-frames-native-stack";
    private static final String RESTART = "start it with NODE_OPTIONS='--" + PERF_MAP + " --" + INTERPRETED + "'";
    private static final String NO_NAMES = "JavaScript frames have no names: ";

    private NodeTargetChecks() {}

    /** Returns no results for a program that is not Node.js. */
    static List<CheckResult> run(ExaminedProcess process) {
        Optional<JavaScriptNaming> naming = process.javaScriptNaming();
        if (naming.isEmpty() && !isNode(process)) {
            return List.of();
        }
        List<CheckResult> results = new ArrayList<>(stacks(process, naming));
        results.add(http());
        return results;
    }

    /** Whether the program contains V8's interpreter; a stripped program is recognized by its name. */
    private static boolean isNode(ExaminedProcess process) {
        try (ElfFile elf = process.openExecutable()) {
            return elf.function("Builtins_InterpreterEntryTrampoline").isPresent()
                    || process.executable().endsWith("/node");
        } catch (IOException e) {
            return false;
        }
    }

    private static List<CheckResult> stacks(ExaminedProcess process, Optional<JavaScriptNaming> found) {
        JavaScriptNaming naming = found.orElse(
                JavaScriptNaming.refused("", process.executable() + " has no symbols of V8 or of Node.js"));
        List<CheckResult> results = new ArrayList<>(
                naming.obstacle().isEmpty()
                        ? memoryStacks(naming)
                        : List.of(withObstacle(perfMapStacks(process), naming)));
        results.add(contexts(naming));
        return results;
    }

    static CheckResult contexts(JavaScriptNaming naming) {
        return naming.contextObstacle().isEmpty()
                ? CheckResult.ok(CONTEXTS, "read at each hit; they show to which request an event belongs")
                : CheckResult.limited(
                        CONTEXTS,
                        "not readable, so that the request of many events is unknown: " + naming.contextObstacle(),
                        OFFICIAL_BUILD);
    }

    /** What is known of a process whose memory names functions; its perf map is not needed. */
    static List<CheckResult> memoryStacks(JavaScriptNaming naming) {
        CheckResult functions = CheckResult.ok(
                STACKS,
                "function, file and line of each function, also of inlined ones, and the line of each call, from the memory"
                        + " of the process (V8 " + naming.version() + "); no flag of Node.js is needed");
        CheckResult async = naming.asyncObstacle().isEmpty()
                ? CheckResult.ok(ASYNC, "the functions that await the running one follow it in its stack")
                : CheckResult.limited(
                        ASYNC,
                        "not known, so that a stack ends at the function that runs after an await: "
                                + naming.asyncObstacle(),
                        OFFICIAL_BUILD);
        return List.of(functions, async);
    }

    static CheckResult withObstacle(CheckResult perfMap, JavaScriptNaming naming) {
        return new CheckResult(
                perfMap.feature(),
                perfMap.status(),
                perfMap.found() + "; the names are not read from the memory of the process: " + naming.obstacle(),
                perfMap.remedy());
    }

    private static CheckResult perfMapStacks(ExaminedProcess process) {
        try {
            NodeOptions options = NodeOptions.of(process.commandLine(), variable(process.pid(), "NODE_OPTIONS"));
            return perfMapStacks(process.perfMapState(), process.perfMapName(), options);
        } catch (IOException e) {
            return CheckResult.limited(
                    STACKS, NO_NAMES + "look for its perf map: " + e.getMessage(), "run doctor as root");
        }
    }

    static CheckResult perfMapStacks(PerfMapState map, String name, NodeOptions options) {
        return switch (map) {
            case OWN ->
                options.has(INTERPRETED)
                        ? CheckResult.ok(
                                STACKS,
                                "function, file and line of JavaScript, from " + name
                                        + "; only interpreted functions of"
                                        + " Node.js itself may have no names")
                        : CheckResult.limited(
                                STACKS,
                                "function, file and line of compiled JavaScript, from " + name
                                        + "; interpreted functions have no names",
                                "start it with --" + INTERPRETED + " as well");
            case MISSING ->
                options.has(PERF_MAP)
                        ? CheckResult.limited(
                                STACKS,
                                NO_NAMES + "it was started with --" + PERF_MAP + ", but " + name + " does not exist",
                                "do not move that file while the process runs, and do not use --" + PERF_MAP + "-path")
                        : CheckResult.limited(STACKS, NO_NAMES + name + " does not exist", RESTART);
            case OLDER_THAN_PROCESS ->
                CheckResult.limited(
                        STACKS, NO_NAMES + name + " is older than the process: another process wrote it", RESTART);
            case OF_A_STRANGER ->
                CheckResult.limited(
                        STACKS,
                        NO_NAMES + name + " is not a regular file owned by the process's user or root; it is ignored",
                        "remove " + name + "; " + RESTART);
        };
    }

    private static CheckResult http() {
        return CheckResult.limited(
                "HTTP",
                "messages of WebSocket connections that are open already are not counted; the command http shows no HTTP/2",
                "record node-websocket and node-http2, and let WebSocket clients connect again");
    }

    /** A variable of the environment of the process; "" if it is not set or cannot be read. */
    private static String variable(int pid, String name) {
        try {
            String environment = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/environ")), UTF_8);
            for (String variable : environment.split("\0")) {
                if (variable.startsWith(name + "=")) {
                    return variable.substring(name.length() + 1);
                }
            }
            return "";
        } catch (IOException e) {
            return "";
        }
    }
}
