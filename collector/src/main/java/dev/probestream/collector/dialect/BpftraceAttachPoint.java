package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.SpecSyntax;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Translates the attach point of a bpftrace probe, such as {@code uretprobe:/usr/bin/node:uv_fs_open}. */
final class BpftraceAttachPoint {
    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("uprobe", "uprobe"),
            Map.entry("u", "u"),
            Map.entry("uretprobe", "uretprobe"),
            Map.entry("ur", "uretprobe"),
            Map.entry("usdt", "usdt"),
            Map.entry("U", "usdt"),
            Map.entry("tracepoint", "tracepoint"),
            Map.entry("t", "tracepoint"),
            Map.entry("rawtracepoint", "rawtracepoint"),
            Map.entry("rt", "rawtracepoint"),
            Map.entry("profile", "profile"),
            Map.entry("p", "profile"));
    private static final Set<String> KERNEL_FUNCTIONS =
            Set.of("kprobe", "k", "kretprobe", "kr", "kfunc", "kretfunc", "fentry", "fexit", "f", "fr");
    private static final String COUNTERS =
            "performance counters cannot be counted; samples of what runs are recorded by"
                    + " record --probes profile:99";
    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("software", COUNTERS + "; page faults are t:exceptions:page_fault_user"),
            Map.entry("s", COUNTERS + "; page faults are t:exceptions:page_fault_user"),
            Map.entry("hardware", COUNTERS),
            Map.entry("h", COUNTERS),
            Map.entry("watchpoint", "accesses to memory are not traced; use uprobe: at the function that writes"),
            Map.entry("w", "accesses to memory are not traced; use uprobe: at the function that writes"),
            Map.entry("asyncwatchpoint", "accesses to memory are not traced; use uprobe: at the function that writes"),
            Map.entry("iter", "objects of the kernel are not listed; use ps, ss or lsof"),
            Map.entry("it", "objects of the kernel are not listed; use ps, ss or lsof"),
            Map.entry("self", "signals to the tracer are no probes; use the tracepoint t:signal:signal_deliver"));
    private static final Set<String> FRAMES = Set.of("BEGIN", "END", "begin", "end");

    private final LineScanner line;
    private final BpftraceTimer timers;

    BpftraceAttachPoint(LineScanner line) {
        this.line = line;
        this.timers = new BpftraceTimer(line);
    }

    /** Reads one attach point, up to a blank, a comma or a brace outside of quotes. */
    String read() {
        line.skipBlanks();
        StringBuilder attachPoint = new StringBuilder();
        while (!line.atEnd() && !line.at('{') && !line.at(',')) {
            String run = line.run(c -> !Character.isWhitespace(c) && c != ',' && c != '{' && c != '"');
            attachPoint.append(run);
            if (line.at('"')) {
                attachPoint.append('"').append(line.next().text()).append('"');
            } else {
                break;
            }
        }
        return attachPoint.toString();
    }

    /** Returns the attach point in the syntax of a probe spec. */
    String translate(String attachPoint, int start) {
        int colon = attachPoint.indexOf(':');
        String kind = colon < 0 ? attachPoint : attachPoint.substring(0, colon);
        refuseUnsupported(kind, attachPoint, start);
        String specKind = KINDS.get(kind);
        if (specKind == null || colon < 0) {
            throw line.failAt(
                    start,
                    "expected a probe: uprobe:, uretprobe:, usdt:, u:, tracepoint:, rawtracepoint: or profile:, and"
                            + " its attach point");
        }
        List<String> rest = List.of(attachPoint.substring(colon + 1).split(":", -1));
        return switch (specKind) {
            case "uprobe", "uretprobe" -> specKind + ":" + function(rest, start);
            case "u" -> (attachPoint.indexOf('+') >= 0 ? "uprobe:" : "u:") + function(rest, start);
            case "usdt" -> "usdt:" + usdt(rest);
            case "profile" -> "profile:" + timers.frequencyHz(rest, start);
            default -> specKind + ":" + String.join(":", rest);
        };
    }

    /**
     * FILE:PROVIDER:NAME and FILE:NAME, whose file may be empty or {@code *}: then any file of the target. PROVIDER:NAME
     * is not bpftrace's, but that of a probe spec.
     */
    private static String usdt(List<String> words) {
        boolean isAnyFile = words.get(0).isEmpty() || words.get(0).equals("*");
        if (words.size() == 2 && isAnyFile) {
            return "*:" + words.get(1);
        }
        return String.join(":", words.size() == 3 && isAnyFile ? words.subList(1, 3) : words);
    }

    private String function(List<String> words, int start) {
        if (words.get(words.size() - 1).matches("0x[0-9a-fA-F]+|[0-9]+")) {
            throw line.failAt(
                    start,
                    "addresses are not supported: use the function's name and an offset, such as uprobe:main+0x10");
        }
        if (words.size() == 1) {
            return quotedName(words.get(0));
        }
        // cpp: means a name without its mangling, as every name does in a probe spec.
        boolean isCxx = words.size() > 2 && words.get(1).equals("cpp");
        String function = String.join(":", words.subList(isCxx ? 2 : 1, words.size()));
        return SpecSyntax.name(words.get(0)) + ":" + quotedName(function);
    }

    private static String quotedName(String function) {
        int plus = function.indexOf('+');
        if (plus > 0 && function.indexOf('(') < 0) {
            return function; // an offset
        }
        return function.startsWith("\"") ? function : SpecSyntax.name(function);
    }

    private void refuseUnsupported(String kind, String attachPoint, int start) {
        String function = attachPoint.substring(Math.min(attachPoint.length(), kind.length() + 1));
        if (KERNEL_FUNCTIONS.contains(kind)) {
            throw line.failAt(start, KernelFunction.refusal(function, kind.matches("kretprobe|kr|kretfunc|fexit|fr")));
        }
        if (FRAMES.contains(kind)) {
            throw line.failAt(start, kind + " is not supported: only hits of probes are printed and counted");
        }
        String instead = OTHERS.get(kind);
        if (instead != null) {
            throw line.failAt(start, kind + ": is not supported: " + instead);
        }
    }
}
