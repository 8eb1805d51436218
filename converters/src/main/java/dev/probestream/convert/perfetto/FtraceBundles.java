package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.Waking;
import java.io.IOException;
import java.util.TreeMap;

/** Context switches and wakings as the kernel's own tracer would have recorded them, bundled by cpu. */
final class FtraceBundles {
    private static final int BUNDLE_BYTES = 1 << 13;

    private final PacketStream packets;
    private final TreeMap<Integer, ProtoBuffer> cpus = new TreeMap<>();

    FtraceBundles(PacketStream packets) {
        this.packets = packets;
    }

    /** @param boottimeNs its time: ftrace's clock is always CLOCK_BOOTTIME */
    void add(CpuSwitch cpuSwitch, long boottimeNs) throws IOException {
        ProtoBuffer events = events(cpuSwitch.cpu());
        int event = begin(events, boottimeNs, cpuSwitch.prevTid());
        int message = events.begin(Tags.SCHED_SWITCH);
        events.text(
                Tags.PREV_COMM,
                cpuSwitch.prevComm().bytes(),
                0,
                cpuSwitch.prevComm().lengthBytes());
        events.varint(Tags.PREV_PID, cpuSwitch.prevTid());
        events.varint(Tags.PREV_PRIO, cpuSwitch.prevPrio());
        events.varint(Tags.PREV_STATE, cpuSwitch.prevState());
        events.text(
                Tags.NEXT_COMM,
                cpuSwitch.nextComm().bytes(),
                0,
                cpuSwitch.nextComm().lengthBytes());
        events.varint(Tags.NEXT_PID, cpuSwitch.nextTid());
        events.varint(Tags.NEXT_PRIO, cpuSwitch.nextPrio());
        events.end(message);
        end(events, event, cpuSwitch.cpu());
    }

    /** @param boottimeNs its time: ftrace's clock is always CLOCK_BOOTTIME */
    void add(Waking waking, long boottimeNs) throws IOException {
        ProtoBuffer events = events(waking.cpu());
        int event = begin(events, boottimeNs, waking.wakerTid());
        int message = events.begin(Tags.SCHED_WAKING);
        events.text(Tags.WAKING_COMM, waking.comm().bytes(), 0, waking.comm().lengthBytes());
        events.varint(Tags.WAKING_PID, waking.wokenTid());
        events.varint(Tags.WAKING_PRIO, waking.prio());
        if (waking.targetCpu() >= 0) {
            events.varint(Tags.WAKING_TARGET_CPU, waking.targetCpu());
        }
        events.end(message);
        end(events, event, waking.cpu());
    }

    private ProtoBuffer events(int cpu) {
        return cpus.computeIfAbsent(cpu, added -> new ProtoBuffer(BUNDLE_BYTES + (1 << 10)));
    }

    private static int begin(ProtoBuffer events, long boottimeNs, int tid) {
        int event = events.begin(Tags.BUNDLE_EVENT);
        events.varint(Tags.FTRACE_TIMESTAMP, boottimeNs);
        events.varint(Tags.FTRACE_PID, tid);
        return event;
    }

    private void end(ProtoBuffer events, int event, int cpu) throws IOException {
        events.end(event);
        if (events.sizeBytes() >= BUNDLE_BYTES) {
            write(cpu, events);
        }
    }

    private void write(int cpu, ProtoBuffer events) throws IOException {
        ProtoBuffer packet = packets.begin();
        int bundle = packet.begin(Tags.FTRACE_EVENTS);
        packet.varint(Tags.BUNDLE_CPU, cpu);
        packet.raw(events.bytes(), events.sizeBytes());
        packet.end(bundle);
        packets.end();
        events.clear();
    }

    void flush() throws IOException {
        for (var cpu : cpus.entrySet()) {
            if (cpu.getValue().sizeBytes() > 0) {
                write(cpu.getKey(), cpu.getValue());
            }
        }
    }
}
