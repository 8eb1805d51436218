package dev.probestream.convert.chrome;

import dev.probestream.convert.timeline.CpuSwitch;
import java.io.IOException;
import java.util.TreeMap;

/** Shows what ran on each cpu, from context switches in order of time. What ran last has no end and is not shown. */
final class CpuSlices {
    private static final byte[] CATEGORY = JsonBuffer.ascii(",\"cat\":\"sched\"");
    private static final byte[] DUR = JsonBuffer.ascii(",\"dur\":");
    private static final byte[] ARGS_TID = JsonBuffer.ascii(",\"args\":{\"tid\":");
    private static final byte[] ARGS_PID = JsonBuffer.ascii(",\"pid\":");
    private static final byte[] ARGS_PRIO = JsonBuffer.ascii(",\"prio\":");

    private static final class Running {
        private long sinceNs;
        private int tid;
        private int pid;
        private int prio;
        private byte[] comm = new byte[16];
        private int commBytes;

        void set(CpuSwitch cpuSwitch) {
            sinceNs = cpuSwitch.timestampNs();
            tid = cpuSwitch.nextTid();
            pid = cpuSwitch.nextPid();
            prio = cpuSwitch.nextPrio();
            commBytes = cpuSwitch.nextComm().lengthBytes();
            if (comm.length < commBytes) {
                comm = new byte[commBytes];
            }
            System.arraycopy(cpuSwitch.nextComm().bytes(), 0, comm, 0, commBytes);
        }
    }

    private final EventStream events;
    private final Names names;
    private final TreeMap<Integer, Running> cpus = new TreeMap<>();

    CpuSlices(EventStream events, Names names) {
        this.events = events;
        this.names = names;
    }

    void switched(CpuSwitch cpuSwitch) throws IOException {
        Running running = cpus.get(cpuSwitch.cpu());
        if (running == null) {
            if (cpus.isEmpty()) {
                names.process(ChromeIds.CPUS_PID, "CPUs", Names.CPUS_SORT_INDEX);
            }
            running = new Running();
            cpus.put(cpuSwitch.cpu(), running);
            names.thread(
                    ChromeIds.CPUS_PID, ChromeIds.cpuTid(cpuSwitch.cpu()), "CPU " + cpuSwitch.cpu(), cpuSwitch.cpu());
        } else if (running.tid != 0) {
            write(running, cpuSwitch.cpu(), cpuSwitch.timestampNs());
        }
        running.set(cpuSwitch);
    }

    private void write(Running running, int cpu, long untilNs) throws IOException {
        JsonBuffer event = events.beginNamed('X', running.comm, running.commBytes);
        event.raw(CATEGORY);
        events.time(running.sinceNs);
        event.raw(DUR);
        event.microseconds(untilNs - running.sinceNs);
        events.process(ChromeIds.CPUS_PID);
        events.thread(ChromeIds.cpuTid(cpu));
        event.raw(ARGS_TID);
        event.number(running.tid);
        event.raw(ARGS_PID);
        event.number(running.pid);
        event.raw(ARGS_PRIO);
        event.number(running.prio);
        event.raw('}');
        events.end();
    }
}
