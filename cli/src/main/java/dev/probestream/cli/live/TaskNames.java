package dev.probestream.cli.live;

import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.HashMap;
import java.util.Map;

/** The names of threads and the users of processes, from the records of a capture in their order. */
public final class TaskNames {
    private static final String UNKNOWN = "?";

    private final Map<Integer, String> commByTid = new HashMap<>();
    private final Map<Integer, Integer> uidByPid = new HashMap<>();
    private int lastTid;
    private String lastComm = UNKNOWN;

    /** An update from a record, to be applied later; the collector reuses the record. */
    public Runnable update(Thread thread) {
        int tid = thread.getTid();
        String comm = thread.getName();
        boolean hasEnded = thread.getEndNs() >= 0;
        return () -> {
            lastTid = 0;
            if (hasEnded) {
                commByTid.remove(tid);
            } else {
                commByTid.put(tid, comm);
            }
        };
    }

    /** Likewise. */
    public Runnable update(Process process) {
        int pid = process.getPid();
        int uid = process.getUid();
        boolean hasEnded = process.getEndNs() >= 0;
        return () -> {
            if (hasEnded) {
                uidByPid.remove(pid);
            } else {
                uidByPid.put(pid, uid);
            }
        };
    }

    /** Adds a record. */
    public void add(Thread thread) {
        update(thread).run();
    }

    /** Likewise. */
    public void add(Process process) {
        update(process).run();
    }

    /** The thread's name, or "?" if there is no record. */
    public String comm(int tid) {
        if (tid != lastTid) {
            lastTid = tid;
            lastComm = commByTid.getOrDefault(tid, UNKNOWN);
        }
        return lastComm;
    }

    /** The user of a process in its latest record; {@link Hit#UNKNOWN_UID} without one. */
    public int uid(int pid) {
        return uidByPid.getOrDefault(pid, Hit.UNKNOWN_UID);
    }
}
