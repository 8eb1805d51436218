package dev.probestream.cli.endtoend.ownstack;

import dev.probestream.cli.endtoend.ownstack.ErrorStack.Line;
import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Recorded stacks beside V8's texts of them, frame by frame, and what differs, by reason.
 *
 * <p>Compared are the callers of the function {@code hit}, which takes both. A frame is equal if name, file and line of the call
 * are; V8's text shows the receiver's type before the name, which is ignored. Functions that are written in no file
 * (Array.map) are not counted: V8 may have compiled them into others. Async callers are compared with each other: V8 writes
 * them last, a recorded stack has them before the frame that runs microtasks.
 */
final class StackComparison {
    private static final Pattern NAMELESS = Pattern.compile("JavaScript(?: \\((\\w+)\\))?(?:, (\\d+) frames)?");
    private static final String UNREAD = "missing: no name: ";
    private static final String NO_ASYNC_CALLER = "missing: async caller";
    private static final String NO_FRAME = "missing: no frame";
    private static final String NO_LINE = "missing: no line of the call";
    /**
     * What a stack lacks that was recorded while objects moved, beside names: async callers, inlined functions, calls. Its
     * functions may all be known from hits before, but then not where each goes on.
     */
    private static final Set<String> MOVED = Set.of(NO_ASYNC_CALLER, NO_FRAME, NO_LINE);

    private static final String NOT_ALL_READ = UNREAD + "of a stack that is not all read";

    private static final int EXAMPLES = 2;

    /** Of each stack of an example. */
    private static final int LINES = 12;

    /** How well two frames fit, from 0; what is not compared with anything costs {@link #ALONE}. */
    private static final int ALONE = 4;

    private static final int ANOTHER = 7;

    private long frames;
    private long equal;
    private long equalColumns;
    private long wrong;
    private final Map<String, Long> differences = new TreeMap<>();
    private final Map<String, List<String>> examples = new TreeMap<>();
    private final Set<String> readLines = new TreeSet<>();
    private final Set<String> unreadLines = new TreeSet<>();

    /** A recorded frame of JavaScript; {@code reason} is why it has no name, else "". */
    private record Seen(Frame frame, String reason) {
        boolean isRead() {
            return reason.isEmpty()
                    && (frame.getCallLine() > 0 || frame.getFile().isEmpty());
        }

        @Override
        public String toString() {
            return (frame.getIsAsync() ? "async " : "") + frame.getSymbol() + " (" + frame.getFile() + ":"
                    + frame.getCallLine() + ":" + frame.getCallColumn() + ")"
                    + (frame.getIsInlined() ? " inlined" : "");
        }
    }

    /**
     * @param where of the hit, for messages
     * @param text V8's, which begins with the function {@code hit}
     * @param anonymous which of its frames have functions without a name
     * @param recorded leaf first
     */
    void add(String where, String text, List<Boolean> anonymous, List<Frame> recorded) {
        List<Line> expected = ErrorStack.parse(text, anonymous).stream().skip(1).toList();
        List<Seen> seen = callersOfHit(recorded);
        boolean isRead = seen.stream().allMatch(Seen::isRead);
        frames += expected.stream().filter(line -> !line.isBuiltIn()).count();
        for (boolean isAsync : new boolean[] {false, true}) {
            align(
                    expected.stream().filter(line -> line.isAsync() == isAsync).toList(),
                    seen.stream()
                            .filter(frame -> frame.frame().getIsAsync() == isAsync)
                            .toList(),
                    (line, frame) -> compare(
                            line,
                            frame,
                            isRead,
                            () -> where + "\n  V8's text" + first(expected) + "\n  recorded" + first(seen)));
        }
    }

    /** @param isRead all frames of the stack have names and lines */
    private void compare(@Nullable Line line, @Nullable Seen seen, boolean isRead, Supplier<String> example) {
        if (line == null && seen != null && !seen.reason().isEmpty()) {
            return; // no claim is made; when hit has no name, what it calls is here, too
        }
        String difference = difference(line, seen);
        if (!isRead && MOVED.contains(difference)) {
            difference = NOT_ALL_READ;
        }
        if (line != null && !line.isBuiltIn()) {
            (difference.startsWith(UNREAD) ? unreadLines : readLines).add(line.place());
        }
        if (difference.isEmpty()) {
            if (line != null && !line.isBuiltIn()) {
                equal++;
                equalColumns += seen != null && line.column() == seen.frame().getCallColumn() ? 1 : 0;
            }
            return;
        }
        wrong += difference.startsWith("wrong") ? 1 : 0;
        differences.merge(difference, 1L, Long::sum);
        List<String> of = examples.computeIfAbsent(difference, key -> new ArrayList<>());
        if (of.size() < EXAMPLES) {
            of.add(difference + ": " + line + " | " + seen + " at " + example.get());
        }
    }

    private static String first(List<?> lines) {
        return lines.stream().limit(LINES).map(line -> "\n    " + line).collect(Collectors.joining());
    }

    /** Why they are not equal, "" when they are; either may be null. */
    private static String difference(@Nullable Line line, @Nullable Seen seen) {
        if (line == null) {
            return "wrong: not in V8's text: "
                    + Objects.requireNonNull(seen).frame().getSymbol();
        }
        if (seen == null) {
            return line.isBuiltIn() ? "" : line.isAsync() ? NO_ASYNC_CALLER : NO_FRAME;
        }
        Frame frame = seen.frame();
        if (!seen.reason().isEmpty()) {
            return line.isBuiltIn() ? "" : UNREAD + seen.reason();
        }
        String symbol = FrameText.symbol(frame).equals(FrameText.ANONYMOUS) ? "" : frame.getSymbol();
        if (symbol.isEmpty() && !line.isOf("")) {
            return "missing: name given at run time";
        }
        if (!line.isOf(symbol)) {
            return "wrong name: " + frame.getSymbol() + " for " + line.name();
        }
        if (!line.file().equals(frame.getFile())
                && !(line.file().isEmpty() && frame.getFile().equals("<anonymous>"))) {
            return "wrong file: " + frame.getFile() + " for " + line.file();
        }
        if (line.isAsync() != frame.getIsAsync()) {
            return "wrong: async or not";
        }
        if (line.line() != frame.getCallLine()) {
            return frame.getCallLine() == 0 ? NO_LINE : "wrong line";
        }
        return "";
    }

    private static List<Seen> callersOfHit(List<Frame> recorded) {
        List<Seen> seen = new ArrayList<>();
        int callers = 0;
        boolean isHitSeen = false;
        for (Frame frame : recorded) {
            if (frame.getKind() != FrameKind.JS) {
                continue;
            }
            Matcher nameless = NAMELESS.matcher(frame.getSymbol());
            boolean isNameless = nameless.matches() && frame.getFile().isEmpty();
            int count = isNameless && nameless.group(2) != null ? Integer.parseInt(nameless.group(2)) : 1;
            String reason = !isNameless ? "" : nameless.group(1) == null ? "not known how" : nameless.group(1);
            for (int i = 0; i < count; i++) {
                seen.add(new Seen(frame, reason));
            }
            if (callers == seen.size() - 1 && frame.getFile().equals("node:fs")) {
                callers = seen.size(); // what hit calls
            }
            if (!isHitSeen && frame.getSymbol().equals("hit") && frame.getFile().endsWith("/hit.js")) {
                callers = seen.size();
                isHitSeen = true;
            }
        }
        return seen.subList(callers, seen.size());
    }

    private interface Pair {
        void of(@Nullable Line line, @Nullable Seen seen);
    }

    /** The pairs that cost least, in the order of both. */
    private static void align(List<Line> expected, List<Seen> seen, Pair pairs) {
        int[][] cost = new int[expected.size() + 1][seen.size() + 1];
        for (int i = expected.size(); i >= 0; i--) {
            for (int j = seen.size(); j >= 0; j--) {
                int best = i == expected.size() && j == seen.size() ? 0 : Integer.MAX_VALUE;
                best = i < expected.size() ? Math.min(best, cost[i + 1][j] + alone(expected.get(i))) : best;
                best = j < seen.size() ? Math.min(best, cost[i][j + 1] + alone(seen.get(j))) : best;
                if (i < expected.size() && j < seen.size()) {
                    best = Math.min(best, cost[i + 1][j + 1] + distance(expected.get(i), seen.get(j)));
                }
                cost[i][j] = best;
            }
        }
        int i = 0;
        int j = 0;
        while (i < expected.size() || j < seen.size()) {
            boolean hasBoth = i < expected.size() && j < seen.size();
            if (hasBoth && cost[i][j] == cost[i + 1][j + 1] + distance(expected.get(i), seen.get(j))) {
                pairs.of(expected.get(i++), seen.get(j++));
            } else if (i < expected.size() && cost[i][j] == cost[i + 1][j] + alone(expected.get(i))) {
                pairs.of(expected.get(i++), null);
            } else {
                pairs.of(null, seen.get(j++));
            }
        }
    }

    private static int alone(Line line) {
        return line.isBuiltIn() ? 0 : ALONE;
    }

    private static int alone(Seen seen) {
        return seen.reason().isEmpty() ? ALONE : 1;
    }

    private static int distance(Line line, Seen seen) {
        String difference = difference(line, seen);
        return difference.isEmpty() ? 0 : difference.startsWith("wrong") ? ANOTHER : 1;
    }

    /** Of V8's texts, without functions that are written in no file. */
    long frames() {
        return frames;
    }

    /** In name, file and line. */
    long equal() {
        return equal;
    }

    /** Frames of V8's text that were recorded without a name, or in a stack that is not all read. */
    long unread() {
        return differences.entrySet().stream()
                .filter(difference -> difference.getKey().startsWith(UNREAD))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Lines of V8's texts that were read in no stack. */
    Set<String> neverRead() {
        Set<String> lines = new TreeSet<>(unreadLines);
        lines.removeAll(readLines);
        return lines;
    }

    /** Frames with another name, file or line than in V8's text, and frames that it does not have. */
    long wrong() {
        return wrong;
    }

    /** How often, by kind; those of wrong frames begin with "wrong", the others with "missing". */
    Map<String, Long> differences() {
        return differences;
    }

    /** In one line. */
    String summary() {
        return String.format(
                "%d of %d frames equal (%.3f %%), %d in the column, too; %d wrong; %s",
                equal, frames, 100.0 * equal / Math.max(1, frames), equalColumns, wrong, differences);
    }

    @Override
    public String toString() {
        return summary() + "\n"
                + examples.values().stream().flatMap(List::stream).collect(Collectors.joining("\n"));
    }
}
