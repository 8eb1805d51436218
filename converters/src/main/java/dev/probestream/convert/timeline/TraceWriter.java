package dev.probestream.convert.timeline;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a timeline in one trace format. Called by one thread: {@link #start}, then the rest in any order, then {@link
 * #finish}.
 *
 * <p>All times are the trace's: CLOCK_MONOTONIC nanoseconds of the first capture's machine. What is handed in is
 * borrowed: valid for the call. The events of one thread come in the order of their start, but for a few odd ones whose
 * start lies before what was written already.
 */
public interface TraceWriter {
    /** Everything that is known before the first event. */
    void start() throws IOException;

    /**
     * A span begins on its thread's lane. It lies within the span that was begun there last and not ended.
     *
     * @param span its end is known already, unless it never ended
     */
    void beginSpan(TraceEvent span) throws IOException;

    /** The span that was begun last, and not ended, on this lane ends. Not called for spans that never ended. */
    void endSpan(ThreadTrack thread, int lane, long endNs) throws IOException;

    void instant(TraceEvent instant) throws IOException;

    /** Each number of the event is the value of a counter of the process. */
    void counter(TraceEvent counter) throws IOException;

    /**
     * A request, which may overlap others of its process. Comes when it is over: its start lies before what was written
     * already.
     */
    void request(RequestSpan request) throws IOException;

    /** A derived counter has that value from then on. The values of one come in order of time, but late. */
    void derived(DerivedCounter counter, long atNs, long value) throws IOException;

    /** Switches of one cpu come in order of time, and each takes off the cpu what the one before put there. */
    void cpuSwitch(CpuSwitch cpuSwitch) throws IOException;

    void waking(Waking waking) throws IOException;

    /** A traced thread was in a state. The states of one thread come in order of time and do not overlap. */
    void threadState(ThreadTrack thread, ThreadState state, long fromNs, long toNs) throws IOException;

    /** The three clocks of the first capture's machine, read together. In order of time. */
    void clocks(long monotonicNs, long boottimeNs, long realtimeNs) throws IOException;

    void loss(LossMark loss) throws IOException;

    /** Probes were not watched: a slice, so that nothing recorded is not taken for nothing happened. */
    void gap(GapMark gap) throws IOException;

    /** A counter of the captures themselves has that value from then on. The values of one come in order of time. */
    void captureCounter(String name, String unit, long atNs, double value) throws IOException;

    /** Nothing follows: completes the trace and flushes it. Does not close the stream. */
    void finish() throws IOException;

    /**
     * Events that the collector could not deliver.
     *
     * @param probe name of the probe
     * @param cpu -1 = unknown
     * @param fromNs the loss happened some time between this ...
     * @param toNs ... and this; on the trace's clock
     * @param reason in words for a person
     */
    public record LossMark(String probe, int cpu, long fromNs, long toNs, long count, String reason) {}

    /**
     * A time in which probes were not watched.
     *
     * @param process whose hits are missing; null = of all processes of the capture
     * @param what the set, or the single probe
     * @param fromNs on the trace's clock
     * @param reason in words for a person
     */
    public record GapMark(@Nullable ProcessTrack process, String what, long fromNs, long toNs, String reason) {}

    /**
     * A counter of a process that no probe reads: it is computed from the events of several probes.
     *
     * @param index counts the derived counters of a trace from 0
     * @param thread of whose process it is
     * @param name what its track is called; no other counter of the process has it
     * @param unit ns or count
     */
    public record DerivedCounter(int index, ThreadTrack thread, String name, String category, String unit) {}
}
