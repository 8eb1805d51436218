package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.collector.internal.program.layout.TaskLifecycleLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Decodes task lifecycle samples (see {@link TaskLifecycleLayout}). They are rare, so it may allocate strings. */
final class TaskLifecycleSamples {
    private final TaskLifecycleListener listener;

    TaskLifecycleSamples(TaskLifecycleListener listener) {
        this.listener = listener;
    }

    void sample(RecordType recordType, ByteBuffer buffer, int offset) {
        long timestampNs = buffer.getLong(offset + EventLayout.TIMESTAMP_OFFSET);
        int tid = buffer.getInt(offset + EventLayout.TID_OFFSET);
        int tgid = buffer.getInt(offset + EventLayout.TGID_OFFSET);
        int first = buffer.getInt(offset + TaskLifecycleLayout.FIRST_OFFSET);
        int second = buffer.getInt(offset + TaskLifecycleLayout.SECOND_OFFSET);
        switch (recordType) {
            case FORK -> listener.forked(timestampNs, tgid, tid, second, first, comm(buffer, offset));
            case EXEC -> listener.executed(timestampNs, tgid, second, comm(buffer, offset));
            case EXIT -> listener.exited(timestampNs, tgid, tid, second != 0, first);
            case RENAME -> listener.renamed(timestampNs, tgid, tid, comm(buffer, offset));
            case EVENT, SWITCH, OPEN_SPAN ->
                throw new IllegalArgumentException(recordType + " is not a record type of the task lifecycle");
        }
    }

    private static String comm(ByteBuffer buffer, int offset) {
        int start = offset + TaskLifecycleLayout.COMM_OFFSET;
        byte[] bytes = new byte[TextReader.lengthBytes(buffer, start, SwitchLayout.COMM_SIZE_BYTES)];
        buffer.get(start, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
