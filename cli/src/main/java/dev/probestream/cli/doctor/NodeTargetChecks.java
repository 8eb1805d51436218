package dev.probestream.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.process.Target;
import dev.probestream.collector.stack.PerfMapFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the stacks of a Node.js process will look like, and what of its HTTP cannot be seen. */
final class NodeTargetChecks {
    private static final String STACKS = "JavaScript stacks";
    private static final String PERF_MAP = "perf-basic-prof";
    private static final String INTERPRETED = "interpreted-frames-native-stack";
    private static final String RESTART =
            "for names start it with NODE_OPTIONS='--" + PERF_MAP + " --" + INTERPRETED + "'";
    private static final String COUNTED = "JavaScript functions are counted, but have no names: ";

    private NodeTargetChecks() {}

    /** Nothing for a program that is not Node.js. */
    static List<CheckResult> run(Target target) {
        return isNode(target) ? List.of(stacks(target), http()) : List.of();
    }

    /** Whether V8's interpreter is in the program, or, for one that is stripped, by its name. */
    private static boolean isNode(Target target) {
        try (ElfFile elf = ElfFile.open(target.executableFile())) {
            return elf.function("Builtins_InterpreterEntryTrampoline").isPresent()
                    || target.executable().endsWith("/node");
        } catch (IOException e) {
            return false;
        }
    }

    private static CheckResult stacks(Target target) {
        try {
            PerfMapFile map = PerfMapFile.of(target);
            NodeOptions options = NodeOptions.of(target.commandLine(), variable(target.pid(), "NODE_OPTIONS"));
            return stacks(map.state(), map.name(), options);
        } catch (IOException e) {
            return CheckResult.limited(
                    STACKS, COUNTED + "look for its perf map: " + e.getMessage(), "run doctor as root");
        }
    }

    static CheckResult stacks(PerfMapFile.State map, String name, NodeOptions options) {
        return switch (map) {
            case OWN ->
                options.has(INTERPRETED)
                        ? CheckResult.ok(
                                STACKS,
                                "function, file and line of JavaScript, from " + name
                                        + "; only functions of Node.js itself that are"
                                        + " interpreted may have no names, and are counted")
                        : CheckResult.limited(
                                STACKS,
                                "function, file and line of compiled JavaScript, from " + name
                                        + "; functions that are interpreted are counted, but have no names",
                                "for their names start it with --" + INTERPRETED + ", too");
            case MISSING ->
                options.has(PERF_MAP)
                        ? CheckResult.limited(
                                STACKS,
                                COUNTED + "it was started with --" + PERF_MAP + ", but there is no " + name,
                                "keep that file where it is while the process runs, and leave --" + PERF_MAP
                                        + "-path out")
                        : CheckResult.limited(STACKS, COUNTED + "there is no " + name, RESTART);
            case OLDER_THAN_PROCESS ->
                CheckResult.limited(
                        STACKS, COUNTED + name + " is older than the process, so another one wrote it", RESTART);
            case OF_A_STRANGER ->
                CheckResult.limited(
                        STACKS,
                        COUNTED + name + " is not a regular file of the process's user or root, so it is not read",
                        "remove " + name + "; " + RESTART);
        };
    }

    private static CheckResult http() {
        return CheckResult.limited(
                "HTTP",
                "HTTP/2 cannot be seen, and of fetch what it asks but not the answer: Node.js parses these elsewhere"
                        + " (nghttp2; llhttp as WebAssembly)",
                "record node-net, too: it shows their connections");
    }

    /** A variable of the environment it was started with; "" when there is none, or it may not be read. */
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
