package dev.probestream.cli.loop;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.cli.loop.LoopTable.Loop;
import java.util.Locale;

/**
 * Formats loops as text. A table:
 *
 * <pre>
 *   [14:03:07] the last 1.0 s
 *   process 4711, thread 4711 (node), the main loop: 1,234 turns/s, busy 35.1 %, active handles 12, requests 3
 *     WHAT                            COUNT      TOTAL        P50        P99        MAX
 *     turn (the loop's lag)           1,234   350.9 ms   120.4 us     2.3 ms    15.0 ms
 *     waiting                         1,235   649.1 ms   ...
 *     timers                          ...
 *       JS timers                     ...
 * </pre>
 *
 * <p>and a slow turn, with what ran in it for at least a twentieth of its length:
 *
 * <pre>
 *   14:03:07.123456 4711    4711    node               63.2 ms
 *                                                      60.1 ms timers
 *                                                      60.0 ms   JS timers
 * </pre>
 */
final class LoopText implements LoopPublisher.LoopWriter {
    private static final String TOP_LEFT_AND_ERASE = "\u001b[H\u001b[J";
    private static final int TIME_WIDTH = 15;
    private static final int ID_WIDTH = 7;
    private static final int COMM_WIDTH = 15;
    private static final int DURATION_WIDTH = 10;
    private static final int WHAT_WIDTH = 26;
    private static final int COUNT_WIDTH = 10;
    /** The indent of the activities of a turn. */
    private static final int SLOW_INDENT = TIME_WIDTH + 1 + 2 * (ID_WIDTH + 1) + COMM_WIDTH + 1;

    private final TraceTimes times;
    private final boolean isTerminal;

    /** @param isTerminal whether a table replaces the previous one */
    LoopText(TraceTimes times, boolean isTerminal) {
        this.times = times;
        this.isTerminal = isTerminal;
    }

    @Override
    public void slowHeader(LineBuffer out) {
        out.text("TIME            PID     TID     COMM                  BUSY WHAT\n");
    }

    @Override
    public void slow(LoopTurn turn, String comm, LineBuffer out) {
        int start = out.length();
        times.ofDay(turn.endNs(), out);
        left(start, TIME_WIDTH, out);
        start = out.length();
        left(start, ID_WIDTH, out.number(turn.pid()));
        start = out.length();
        left(start, ID_WIDTH, out.number(turn.tid()));
        start = out.length();
        left(start, COMM_WIDTH, out.escaped(comm));
        duration(turn.busyNs(), out);
        out.ascii('\n');
        for (LoopTurn.Activity ran : turn.ran()) {
            ran(ran, turn.busyNs() / 20, 0, out);
        }
    }

    private static void ran(LoopTurn.Activity ran, long minNs, int depth, LineBuffer out) {
        if (ran.durationNs() < minNs) {
            return;
        }
        out.fill(out.length(), SLOW_INDENT, ' ');
        duration(ran.durationNs(), out);
        out.fill(out.length(), 1 + 2 * depth, ' ').escaped(ran.name());
        if (!ran.detail().isEmpty()) {
            out.ascii(' ').escaped(ran.detail());
        }
        out.ascii('\n');
        for (LoopTurn.Activity inside : ran.inside()) {
            ran(inside, minNs, depth + 1, out);
        }
    }

    @Override
    public void table(LoopTable table, boolean isWhole, LineBuffer out) {
        long lengthNs = table.toNs() - table.fromNs();
        out.text(isTerminal && !isWhole ? TOP_LEFT_AND_ERASE : "").ascii('[');
        int start = out.length();
        times.ofDay(table.toNs(), out);
        out.cut(start + "HH:MM:SS".length());
        out.text(isWhole ? "] since the start, " : "] the last ");
        out.text(String.format(Locale.ROOT, "%.1f s%n", lengthNs / 1e9));
        if (table.lost() > 0) {
            out.text(String.format(
                    Locale.ROOT, "NOT COUNTED: %,d hits were lost; turns they belong to are left out%n", table.lost()));
        }
        if (table.loops().isEmpty()) {
            out.text("(no loop completed a turn)\n");
        }
        for (Loop loop : table.loops()) {
            loop(loop, lengthNs, out);
        }
    }

    private static void loop(Loop loop, long lengthNs, LineBuffer out) {
        LoopNumbers numbers = loop.numbers();
        double seconds = Math.max(1, lengthNs) / 1e9;
        out.text("process ").number(loop.pid()).text(", thread ").number(loop.tid());
        out.text(" (").escaped(loop.comm()).ascii(')');
        out.text(loop.pid() == loop.tid() ? ", the main loop: " : ": ");
        out.text(String.format(
                Locale.ROOT,
                "%,.1f turns/s, busy %.1f %%, active handles %,d, requests %,d%n",
                numbers.turns().count() / seconds,
                100 * numbers.turns().totalNs() / 1e9 / seconds,
                numbers.handles(),
                numbers.requests()));
        if (numbers.isEmpty()) {
            return;
        }
        out.text("  WHAT                            COUNT      TOTAL        P50        P99        MAX\n");
        row("turn (the loop's lag)", numbers.turns(), false, out);
        row("waiting", numbers.waits(), false, out);
        for (LoopNumbers.Row row : numbers.rows()) {
            row(row.probe().name(), row.durations(), row.probe().meaning() == LoopProbe.Meaning.WORK, out);
        }
    }

    private static void row(String name, DurationDistribution durations, boolean isInside, LineBuffer out) {
        out.text(isInside ? "    " : "  ");
        int start = out.length();
        left(start, WHAT_WIDTH - (isInside ? 2 : 0), out.escaped(name));
        start = out.length();
        out.text(String.format(Locale.ROOT, "%,d", durations.count())).padSince(start, COUNT_WIDTH, false);
        for (long ns : new long[] {
            durations.totalNs(), durations.percentileNs(50), durations.percentileNs(99), durations.maxNs()
        }) {
            out.ascii(' ');
            duration(ns, out);
        }
        out.ascii('\n');
    }

    private static void left(int start, int width, LineBuffer out) {
        out.padSince(start, width, true).ascii(' ');
    }

    private static void duration(long ns, LineBuffer out) {
        int start = out.length();
        out.duration(ns).padSince(start, DURATION_WIDTH, false);
    }
}
