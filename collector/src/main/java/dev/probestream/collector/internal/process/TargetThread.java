package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.util.Optional;

/**
 * A thread of a process.
 *
 * @param tid in our pid namespace; for the main thread equal to the pid
 * @param comm its name, at most 15 bytes
 */
public record TargetThread(int tid, String comm) {
    /** Empty if the thread has ended. */
    static Optional<TargetThread> read(int pid, String tid) {
        try {
            String comm = ProcFile.read(pid, "task/" + tid + "/comm");
            return Optional.of(new TargetThread(Integer.parseInt(tid), comm.stripTrailing()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
