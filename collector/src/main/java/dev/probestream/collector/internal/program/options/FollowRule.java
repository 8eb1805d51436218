package dev.probestream.collector.internal.program.options;

import java.nio.charset.StandardCharsets;

/**
 * How the set of recorded processes grows while a capture runs; needs {@link TargetFilter.Mode#LISTED_PROCESSES} or
 * {@link TargetFilter.Mode#CGROUP}.
 *
 * @param children whether a child of a recorded process is recorded too
 * @param comm processes that run under this command name are recorded, as many of its bytes as the kernel keeps (15);
 *     "" = no such rule
 */
public record FollowRule(boolean children, String comm) {
    /** TASK_COMM_LEN of linux/sched.h, with the NUL. */
    public static final int COMM_SIZE_BYTES = 16;

    public static final FollowRule NONE = new FollowRule(false, "");

    public boolean hasComm() {
        return !comm.isEmpty();
    }

    /** The name as it stands in a task's comm: cut to 15 bytes, filled up with NUL. */
    public byte[] commBytes() {
        byte[] bytes = new byte[COMM_SIZE_BYTES];
        byte[] utf8 = comm.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(utf8, 0, bytes, 0, Math.min(utf8.length, COMM_SIZE_BYTES - 1));
        return bytes;
    }
}
