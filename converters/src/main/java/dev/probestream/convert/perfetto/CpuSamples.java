package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.StackTable;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.schema.perfetto.Profiling;

/** Writes samples of the cpu as those of a profiler, of which viewers make flame graphs, not as instants of a thread. */
final class CpuSamples {
    private CpuSamples() {}

    /** Of a sample without a stack there would be nothing to see: it stays an instant. */
    static boolean isOne(TraceEvent instant) {
        return instant.probe().isCpuSample() && instant.stackIndex() != TraceEvent.NO_STACK;
    }

    /** Puts it; its stack must be interned on the packet's sequence. */
    static void put(ProtoBuffer packet, TraceEvent sample) {
        int message = packet.begin(Tags.PERF_SAMPLE);
        packet.varint(Tags.SAMPLE_CPU, sample.cpu());
        packet.varint(Tags.SAMPLE_PID, sample.thread().process().pid());
        packet.varint(Tags.SAMPLE_TID, sample.thread().tid());
        packet.varint(Tags.SAMPLE_CALLSTACK_IID, Interning.iid(sample.stackIndex()));
        packet.varint(Tags.SAMPLE_CPU_MODE, cpuMode(sample).getNumber());
        packet.end(message);
    }

    private static Profiling.CpuMode cpuMode(TraceEvent sample) {
        StackTable stacks = sample.thread().process().capture().stacks();
        if (stacks.depth(sample.stackIndex()) == 0) {
            return Profiling.CpuMode.MODE_UNKNOWN;
        }
        return switch (stacks.frame(stacks.frameIndex(sample.stackIndex(), 0)).kind()) {
            case KERNEL -> Profiling.CpuMode.MODE_KERNEL;
            case JS, NATIVE -> Profiling.CpuMode.MODE_USER;
        };
    }
}
