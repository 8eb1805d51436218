package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where everything lies in the samples of times in which a thread had no cpu, and in the values of {@link
 * MapNames#OFF_CPU}: the header of {@link EventLayout}, whose timestampNs is 0 while the thread runs, then
 *
 * <pre>
 * offset  size  field
 *     40     8  state        as the tracepoint sched_switch reports it
 *     48     8  runnableNs   the last part of the time, in which the thread could have gone on
 *     56     8  wakerTid     who made it runnable
 *     64     8  wakerPid
 *     72     8  nextTid      of a thread that was preempted, who took the cpu; else 0
 *     80     8  nextPid
 *     88    16  wakerComm
 *    104    16  nextComm
 * </pre>
 *
 * and in the map
 *
 * <pre>
 *    120     8  runnableSinceNs  0 = it waits, or its waking was not seen
 *    128     4  threadTag        as in {@link SumLayout}
 * </pre>
 */
public final class OffCpuLayout {
    public static final int STATE_OFFSET = 40;
    public static final int RUNNABLE_OFFSET = 48;
    public static final int WAKER_TID_OFFSET = 56;
    public static final int WAKER_PID_OFFSET = 64;
    public static final int NEXT_TID_OFFSET = 72;
    public static final int NEXT_PID_OFFSET = 80;
    public static final int WAKER_COMM_OFFSET = 88;
    public static final int NEXT_COMM_OFFSET = 104;
    public static final int SAMPLE_SIZE_BYTES = 120;

    public static final int RUNNABLE_SINCE_OFFSET = 120;
    public static final int THREAD_TAG_OFFSET = 128;
    public static final int VALUE_SIZE_BYTES = 136;

    /** The address of the thread's task_struct: what is at hand at a switch, at no cost. */
    public static final int KEY_SIZE_BYTES = 8;

    // Bits of unavailable.
    public static final int RUNNABLE_UNAVAILABLE = 0b10;
    public static final int WAKER_UNAVAILABLE = 0b100_1100;
    public static final int NEXT_UNAVAILABLE = 0b1011_0000;

    private static final List<String> NUMBERS =
            List.of("state", "runnable_ns", "waker_tid", "waker_pid", "next_tid", "next_pid");
    private static final List<String> TEXTS = List.of("waker_comm", "next_comm");

    private OffCpuLayout() {}

    /** What an event records. */
    public static List<ArgumentSpec> arguments() {
        List<ArgumentSpec> arguments = new ArrayList<>();
        NUMBERS.forEach(name ->
                arguments.add(ArgumentSpec.of(name, ArgumentSource.field(name), ArgumentType.number(Form.S64))));
        TEXTS.forEach(name -> arguments.add(ArgumentSpec.ofThreadName(name, SwitchLayout.COMM_SIZE_BYTES)));
        return arguments;
    }

    public static EventLayout sample() {
        return EventLayout.of(EventKind.SPAN, arguments(), Optional.empty(), StackDepths.NONE);
    }

    /** The layout of the time in which a thread could run and had no cpu: it is only summed. */
    public static EventLayout runDelay() {
        return EventLayout.of(EventKind.SPAN, List.of(), Optional.empty(), StackDepths.NONE);
    }
}
