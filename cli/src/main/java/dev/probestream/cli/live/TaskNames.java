package dev.probestream.cli.live;

import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.HashMap;
import java.util.Map;

/** What the threads and the users of processes are called, as the records of a capture tell it in order. */
public final class TaskNames {
    private static final String UNKNOWN = "?";

    private final Map<Integer, String> commByTid = new HashMap<>();
    private final Map<Integer, Integer> uidByPid = new HashMap<>();
    private int lastTid;
    private String lastComm = UNKNOWN;

    /** What a record tells, to be noted later: the record is the collector's, which says other things by it meanwhile. */
    public Runnable tiding(Thread thread) {
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
    public Runnable tiding(Process process) {
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

    /** Notes what a record tells. */
    public void note(Thread thread) {
        tiding(thread).run();
    }

    /** Likewise. */
    public void note(Process process) {
        tiding(process).run();
    }

    /** The thread's name, "?" when nobody told it. */
    public String comm(int tid) {
        if (tid != lastTid) {
            lastTid = tid;
            lastComm = commByTid.getOrDefault(tid, UNKNOWN);
        }
        return lastComm;
    }

    /** The user of a process when it was last looked at; {@link Hit#UNKNOWN_UID} when it never was. */
    public int uid(int pid) {
        return uidByPid.getOrDefault(pid, Hit.UNKNOWN_UID);
    }
}
