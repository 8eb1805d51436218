package dev.probestream.cli.loop;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.cli.loop.LoopTable.Loop;
import java.util.List;

/**
 * Formats loops as JSON, one object per line. A table:
 *
 * <pre>
 *   fromNs, toNs  nanoseconds since 1970 (UTC)
 *   isTotal       whether it covers everything since the start
 *   lost          hits that were lost
 *   loops         [{pid, tid, comm, activeHandles, activeRequests, turns: DURATIONS, waits: DURATIONS,
 *                   phases: [{name, DURATIONS}]}]
 *   DURATIONS     {count, totalNs, p50Ns, p99Ns, maxNs}
 * </pre>
 *
 * <p>and a slow turn:
 *
 * <pre>
 *   timeNs, monotonicNs  the start, since 1970 (UTC) and by CLOCK_MONOTONIC
 *   durationNs, pid, tid, comm
 *   ran                  [{name, detail, monotonicNs, durationNs, inside: [...]}]
 * </pre>
 */
final class LoopJson implements LoopPublisher.LoopWriter {
    private final TraceTimes times;

    LoopJson(TraceTimes times) {
        this.times = times;
    }

    @Override
    public void slowHeader(LineBuffer out) {
        // Names stand in every object.
    }

    @Override
    public void slow(LoopTurn turn, String comm, LineBuffer out) {
        out.text("{\"timeNs\":").number(times.realtimeNs(turn.startNs()));
        out.text(",\"monotonicNs\":").number(turn.startNs());
        out.text(",\"durationNs\":").number(turn.busyNs());
        thread(turn.pid(), turn.tid(), comm, out.ascii(','));
        out.text(",\"ran\":");
        ran(turn.ran(), turn.busyNs() / 20, out);
        out.text("}\n");
    }

    private static void ran(List<LoopTurn.Activity> all, long minNs, LineBuffer out) {
        out.ascii('[');
        int count = 0;
        for (LoopTurn.Activity ran : all) {
            if (ran.durationNs() >= minNs) {
                comma(count++, out).text("{\"name\":").jsonText(ran.name());
                if (!ran.detail().isEmpty()) {
                    out.text(",\"detail\":").jsonText(ran.detail());
                }
                out.text(",\"monotonicNs\":").number(ran.startNs());
                out.text(",\"durationNs\":").number(ran.durationNs()).text(",\"inside\":");
                ran(ran.inside(), minNs, out);
                out.ascii('}');
            }
        }
        out.ascii(']');
    }

    @Override
    public void table(LoopTable table, boolean isWhole, LineBuffer out) {
        out.text("{\"fromNs\":").number(times.realtimeNs(table.fromNs()));
        out.text(",\"toNs\":").number(times.realtimeNs(table.toNs()));
        out.text(",\"isTotal\":").text(String.valueOf(isWhole));
        out.text(",\"lost\":").number(table.lost()).text(",\"loops\":[");
        int count = 0;
        for (Loop loop : table.loops()) {
            loop(loop, comma(count++, out));
        }
        out.text("]}\n");
    }

    private static void loop(Loop loop, LineBuffer out) {
        LoopNumbers numbers = loop.numbers();
        thread(loop.pid(), loop.tid(), loop.comm(), out.ascii('{'));
        out.text(",\"activeHandles\":").number(numbers.handles());
        out.text(",\"activeRequests\":").number(numbers.requests());
        durations(numbers.turns(), out.text(",\"turns\":{"));
        durations(numbers.waits(), out.text("},\"waits\":{"));
        out.text("},\"phases\":[");
        int count = 0;
        for (LoopNumbers.Row row : numbers.rows()) {
            comma(count++, out).text("{\"name\":").jsonText(row.probe().name());
            durations(row.durations(), out.ascii(','));
            out.ascii('}');
        }
        out.text("]}");
    }

    private static void thread(int pid, int tid, String comm, LineBuffer out) {
        out.text("\"pid\":").number(pid).text(",\"tid\":").number(tid);
        out.text(",\"comm\":").jsonText(comm);
    }

    private static void durations(DurationDistribution durations, LineBuffer out) {
        out.text("\"count\":").number(durations.count());
        out.text(",\"totalNs\":").number(durations.totalNs());
        out.text(",\"p50Ns\":").number(durations.percentileNs(50));
        out.text(",\"p99Ns\":").number(durations.percentileNs(99));
        out.text(",\"maxNs\":").number(durations.maxNs());
    }

    private static LineBuffer comma(int index, LineBuffer out) {
        return index == 0 ? out : out.ascii(',');
    }
}
