package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;

/** Parses where a probe of a spec is: the file and the function, the provider and the name, the event, or the frequency. */
final class ProbePointParser {
    /** What ends the first part of a place, when that is a path or the name of a file. */
    private static final String FILE_STOPS = ":([\"";

    private static final String NAME_STOPS = FILE_STOPS + "+";

    private final SpecText text;
    /** Whether the spec is one of the two of a {@link ProbeKind#PAIR}, which a parenthesis may end. */
    private final boolean isEnd;

    /**
     * Where a probe is. The components are those of {@link ProbeSpec}.
     *
     * @param module the file, or the category of a tracepoint; may be empty
     * @param function the function or the event, or what stands in its place
     * @param isGlob whether the function matches many names
     * @param offsetBytes in the function
     */
    record ProbePoint(String module, String function, boolean isGlob, long offsetBytes) {
        static ProbePoint of(String module, String function) {
            return new ProbePoint(module, function, isGlob(function), 0);
        }

        static boolean isGlob(String name) {
            return name.indexOf('*') >= 0 || name.indexOf('?') >= 0;
        }
    }

    ProbePointParser(SpecText text, boolean isEnd) {
        this.text = text;
        this.isEnd = isEnd;
    }

    /** Reads it, from behind the kind and its colon. */
    ProbePoint parse(ProbeKind kind) {
        return switch (kind) {
            case UPROBE, URETPROBE, SPAN, USER -> userFunction(kind);
            case USDT -> usdt();
            case USDTSPAN -> usdtPair();
            case TRACEPOINT -> {
                String category = eventWord("the tracepoint's category, e.g. sched");
                text.expect(':', "between the tracepoint's category and its event");
                yield ProbePoint.of(category, eventWord("the tracepoint's event, e.g. sched_switch"));
            }
            case RAWTRACEPOINT -> ProbePoint.of("", eventWord("the raw tracepoint, e.g. sched_switch"));
            case SYSCALL, SYS_EXIT -> ProbePoint.of("", oneSyscall());
            case SYSCALLS, SCHED -> ProbePoint.of("", new EventLimitParser(text).parse());
            case SIGNALS, PROCESS, PAIR -> ProbePoint.of("", "");
            case PROFILE -> ProbePoint.of("", String.valueOf(frequencyHz()));
        };
    }

    /** {@code 99}, {@code 99hz} or, as in bpftrace, {@code hz:99}. */
    private int frequencyHz() {
        text.skipBlanks();
        boolean unitFirst = text.takeAll("hz:");
        int start = text.position();
        String digits = text.run(c -> c >= '0' && c <= '9');
        int frequencyHz = digits.isEmpty() || digits.length() > 9 ? 0 : Integer.parseInt(digits);
        if (frequencyHz < 1 || frequencyHz > ProbeSpec.MAX_PROFILE_HZ) {
            throw text.failAt(
                    start, "expected how many times a second, 1 to " + ProbeSpec.MAX_PROFILE_HZ + ", as in profile:99");
        }
        if (!unitFirst) {
            text.takeAll("hz");
        }
        return frequencyHz;
    }

    private String eventWord(String what) {
        text.skipBlanks();
        String word = text.run(c -> Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '*' || c == '?');
        if (word.isEmpty()) {
            throw text.fail("expected " + what);
        }
        return word;
    }

    private String oneSyscall() {
        int start = text.position();
        String name = eventWord("the system call, e.g. openat");
        if (ProbePoint.isGlob(name)) {
            throw text.failAt(start, "a system call is named without * and ?; all of them are syscalls:all");
        }
        return name;
    }

    private ProbePoint userFunction(ProbeKind kind) {
        String module = "";
        if (!text.take(':')) {
            int start = text.position();
            String first = first("the path of a file or the name of a function");
            if (text.at(':') && !isQualifiedName(first)) {
                text.take(':');
                module = first;
            } else {
                text.moveTo(start);
            }
        }
        text.skipBlanks();
        boolean quoted = text.at('"');
        String function = name("the name of a function", "/([\"+");
        boolean isGlob = !quoted && ProbePoint.isGlob(function);
        if (!quoted && text.at('(')) {
            function += new SignatureParser(text).parse(function);
        }
        return new ProbePoint(module, function, isGlob, offset(kind, isGlob));
    }

    /**
     * {@code PROVIDER:NAME}, {@code PATH:PROVIDER:NAME}, or with any provider {@code /PATH:NAME}. An empty path is that of
     * any file: {@code :PROVIDER:NAME}, {@code :NAME}.
     */
    private ProbePoint usdt() {
        if (text.take(':')) {
            String name = name("the name of a probe", ":/([\"+");
            return text.take(':')
                    ? ProbePoint.of("", name + ":" + name("the name of a probe", ":/([\"+"))
                    : ProbePoint.of("", "*:" + name);
        }
        String first = first("a provider, or the path of a file");
        text.expect(':', "between the provider and the name of the probe");
        String second = name("the name of a probe", ":/([\"+");
        if (text.take(':')) {
            return ProbePoint.of(first, second + ":" + name("the name of a probe", ":/([\"+"));
        }
        boolean isPath = first.indexOf('/') >= 0;
        return isPath ? ProbePoint.of(first, "*:" + second) : ProbePoint.of("", first + ":" + second);
    }

    /** {@code PROVIDER:BEGIN,END} or {@code PATH:PROVIDER:BEGIN,END}. */
    private ProbePoint usdtPair() {
        String stops = ":,/([\"+";
        int start = text.position();
        String first = first("a provider, or the path of a file");
        text.expect(':', "between the provider and the name of the probe that begins the span");
        String second = name("the name of the probe that begins the span", stops);
        boolean hasPath = text.take(':');
        String provider = hasPath ? second : first;
        String begin = hasPath ? name("the name of the probe that begins the span", stops) : second;
        text.expect(',', "and the name of the probe that ends the span, as in usdtspan:hotspot:gc__begin,gc__end");
        String end = name("the name of the probe that ends the span", stops);
        if (begin.equals(end)) {
            throw text.failAt(start, "a span begins at one probe and ends at another, not both at " + begin);
        }
        String function = provider + ":" + begin + "," + end;
        if (ProbePoint.isGlob(function)) {
            throw text.failAt(start, "a pair is two probes, each with its name: no * and ?");
        }
        return new ProbePoint(hasPath ? first : "", function, false, 0);
    }

    /**
     * The first part of a place. A plus belongs to it in a path, and in the name of a file such as libstdc++.so.6, which
     * a colon follows; elsewhere it begins an offset.
     */
    private String first(String what) {
        text.skipBlanks();
        int start = text.position();
        String first = name(what, FILE_STOPS);
        if (first.startsWith("/") || (text.at(':') && first.indexOf('/') < 0)) {
            return first;
        }
        text.moveTo(start);
        return name(what, NAME_STOPS);
    }

    /** A C++ name such as v8::internal::Heap is no path followed by a function. */
    private boolean isQualifiedName(String first) {
        return first.indexOf('/') < 0 && text.rest().startsWith("::");
    }

    private String name(String what, String stops) {
        text.skipBlanks();
        int start = text.position();
        if (text.take('"')) {
            String quoted = text.run(c -> c != '"');
            text.expect('"', "at the end of the quoted name");
            if (quoted.isEmpty()) {
                throw text.failAt(start, "expected " + what);
            }
            return quoted;
        }
        String word = text.run(c -> stops.indexOf(c) < 0 && !(isEnd && c == ')') && !Character.isWhitespace(c));
        if (word.isEmpty()) {
            throw text.failAt(start, "expected " + what);
        }
        return word;
    }

    private long offset(ProbeKind kind, boolean isGlob) {
        int start = text.position();
        if (!text.take('+')) {
            return 0;
        }
        if (kind != ProbeKind.UPROBE) {
            throw text.failAt(start, "an offset makes sense for uprobe: only");
        }
        if (isGlob) {
            throw text.failAt(start, "an offset needs the name of one function, without * and ?");
        }
        return text.number("the offset in the function in bytes");
    }
}
