package dev.probestream.cli.nodetrace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads properties of a process that may be Node from /proc; see proc(5). */
final class NodeProcess {
    /** The port number for any free port. */
    static final int ANY_PORT = 0;

    private static final int SIGUSR1 = 10; // signal(7), x86-64 and arm64
    private static final Pattern CAUGHT_SIGNALS = Pattern.compile("(?m)^SigCgt:\\s*([0-9a-f]{1,16})$");
    private static final Pattern NODE = Pattern.compile("node(js)?([-.\\d].*)?( \\(deleted\\))?");
    private static final Pattern INSPECTOR_OPTION =
            Pattern.compile("--(?:inspect(?:-brk|-wait)?|inspect-port|debug-port)[= ](?:\\S*:)?(\\d{1,5})(?:\\s|$)");
    private static final int DEFAULT_INSPECTOR_PORT = 9229;

    private NodeProcess() {}

    /** Whether the name of its program is node. */
    static boolean isNode(int pid) {
        try {
            Path program = Files.readSymbolicLink(folder(pid).resolve("exe")).getFileName();
            return program != null && NODE.matcher(program.toString()).matches();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Checks that SIGUSR1 opens an inspector that can be reached, and has no other effect.
     *
     * @throws NodeTraceException if the process is not Node, would be killed by the signal, or has its own network
     *     namespace
     */
    static void check(int pid) throws IOException {
        String attempt = "cannot start the trace of process " + pid + ": ";
        try {
            if (!isNode(pid)) {
                throw new NodeTraceException(
                        attempt + "its program is "
                                + Files.readSymbolicLink(folder(pid).resolve("exe")) + ", not node",
                        null);
            }
            if (!catchesSigusr1(pid)) {
                throw new NodeTraceException(
                        attempt
                                + "it does not handle SIGUSR1 (it has only just started, or runs with --disable-sigusr1);"
                                + " start it with --inspect, or with --trace-event-categories",
                        null);
            }
            Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
            if (!ours.equals(Files.readSymbolicLink(folder(pid).resolve("ns/net")))) {
                throw new NodeTraceException(
                        attempt + "it is in another network namespace (a container?), where its inspector cannot be"
                                + " reached from here; run probestream in that namespace (nsenter -n -t " + pid + ")",
                        null);
            }
        } catch (NoSuchFileException e) {
            throw new NodeTraceException(attempt + "the process does not exist", e);
        }
    }

    private static boolean catchesSigusr1(int pid) throws IOException {
        Matcher caught = CAUGHT_SIGNALS.matcher(Files.readString(folder(pid).resolve("status")));
        return caught.find() && (Long.parseUnsignedLong(caught.group(1), 16) >>> (SIGUSR1 - 1) & 1) == 1;
    }

    /** The port of its inspector, open or not. */
    static int inspectorPort(int pid) throws IOException {
        int port = DEFAULT_INSPECTOR_PORT;
        String commandLine = text(pid, "cmdline");
        for (String words : new String[] {nodeOptions(pid), commandLine}) {
            Matcher option = INSPECTOR_OPTION.matcher(words);
            while (option.find()) {
                port = Integer.parseInt(
                        option.group(1)); // the last one counts, and the command line overrides NODE_OPTIONS
            }
        }
        return port;
    }

    private static String nodeOptions(int pid) throws IOException {
        byte[] environment = Files.readAllBytes(folder(pid).resolve("environ"));
        for (String variable : new String(environment, StandardCharsets.UTF_8).split("\0")) {
            if (variable.startsWith("NODE_OPTIONS=")) {
                return variable;
            }
        }
        return "";
    }

    private static String text(int pid, String file) throws IOException {
        return new String(Files.readAllBytes(folder(pid).resolve(file)), StandardCharsets.UTF_8).replace('\0', ' ');
    }

    static Path folder(int pid) {
        return Path.of("/proc", Integer.toString(pid));
    }
}
