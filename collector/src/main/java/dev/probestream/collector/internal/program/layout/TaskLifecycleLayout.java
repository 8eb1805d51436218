package dev.probestream.collector.internal.program.layout;

/**
 * What a sample of {@link RecordType#FORK}, {@code EXEC}, {@code EXIT} or {@code RENAME} holds behind its header:
 *
 * <pre>
 * offset  size  FORK        EXEC          EXIT                           RENAME
 *     40     4  childTid    tid before it exitCode  as wait(2) gives it  -
 *     44     4  childTgid   real uid      processEnded  1 = the last     -
 *                                         thread of its process
 *     48    16  child's     new name      name                           new name
 *               name (comm)
 * </pre>
 *
 * The header's ids are those of the parent's thread, of the process that runs another program, of the thread that ends
 * and of the thread that is renamed (by whomever).
 */
public final class TaskLifecycleLayout {
    public static final int FIRST_OFFSET = 40;
    public static final int SECOND_OFFSET = 44;
    public static final int COMM_OFFSET = 48;
    public static final int SIZE_BYTES = 64;

    private TaskLifecycleLayout() {}
}
