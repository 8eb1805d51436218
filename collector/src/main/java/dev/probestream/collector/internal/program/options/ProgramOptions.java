package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.Windows;
import java.util.List;
import java.util.Optional;

/**
 * What holds for all programs of a capture.
 *
 * @param registers of the machine
 * @param filter whose hits are recorded
 * @param follow how the set of recorded processes grows
 * @param uprobeAttachType what the attach method of uprobes needs at load: {@code UprobeAttachMethod.attachType()}
 * @param sleepableUprobes whether this kernel lets uprobe programs sleep, so that memory that is not resident can be read
 * @param cookies whether a link can carry a number to its program, so that many functions can share one
 * @param tasks offsets in the kernel's task_struct; without them there is neither sched nor the task lifecycle
 * @param readsSockets whether the kernel has what programs read of sockets; if not, their ends are unavailable
 * @param thread offsets in the kernel's task_struct; without them threads have no async context
 * @param ringSizeBytes of the ring buffer, a power of two
 * @param maxOpenSpans how many calls can be open at once, per program that pairs them
 * @param stackDepths how many frames of a stack are recorded where one is asked for
 * @param categories of the probes that can be left unwatched while others are watched, each has a window of its own
 */
public record ProgramOptions(
        RegisterTable registers,
        TargetFilter filter,
        FollowRule follow,
        AttachType uprobeAttachType,
        boolean sleepableUprobes,
        boolean cookies,
        Optional<TaskOffsets> tasks,
        boolean readsSockets,
        Optional<ThreadOffsets> thread,
        int ringSizeBytes,
        int maxOpenSpans,
        StackDepths stackDepths,
        List<String> categories) {
    /** Room for 16 Mi bytes: at 1 M events/s of 112 bytes, 150 ms of them. */
    public static final int DEFAULT_RING_SIZE_BYTES = 16 << 20;

    /** 128 threads at the 64 nested returns a thread can have (kernel/events/uprobes.c, MAX_URETPROBE_DEPTH). */
    public static final int DEFAULT_MAX_OPEN_SPANS = 8192;

    public ProgramOptions {
        categories = List.copyOf(categories);
    }

    /** The options for a kernel that can do all we use; the others start from these. */
    public static ProgramOptions of(RegisterTable registers, TargetFilter filter) {
        return new ProgramOptions(
                registers,
                filter,
                FollowRule.NONE,
                AttachType.TRACE_UPROBE_MULTI,
                true,
                true,
                Optional.empty(),
                false,
                Optional.empty(),
                DEFAULT_RING_SIZE_BYTES,
                DEFAULT_MAX_OPEN_SPANS,
                StackDepths.DEFAULT,
                List.of());
    }

    /** These options for this rule of following. */
    public ProgramOptions withFollow(FollowRule newFollow) {
        return new ProgramOptions(
                registers,
                filter,
                newFollow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                readsSockets,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                categories);
    }

    /** These options for what a kernel can do with uprobes. */
    public ProgramOptions withUprobes(AttachType attachType, boolean sleepable, boolean withCookies) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                attachType,
                sleepable,
                withCookies,
                tasks,
                readsSockets,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                categories);
    }

    /** These options with the layout of this kernel's task_struct. */
    public ProgramOptions withTasks(TaskOffsets newTasks) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                Optional.of(newTasks),
                readsSockets,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                categories);
    }

    /** These options for a kernel of which {@link SocketFields} are known. */
    public ProgramOptions withSockets() {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                true,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                categories);
    }

    /** These options for programs that read the async context of threads. */
    public ProgramOptions withThread(ThreadOffsets newThread) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                readsSockets,
                Optional.of(newThread),
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                categories);
    }

    /** What arguments are read by. */
    public KernelOffsets kernelOffsets() {
        return new KernelOffsets(readsSockets, thread);
    }

    /** Whether the JavaScript frames of user stacks are recorded by their functions. */
    public boolean recordsJavaScript() {
        return stackDepths.javaScript() > 0;
    }

    /** Whether it is counted when V8 moves objects: what is known of frames and of closures by their addresses is over then. */
    public boolean watchesV8() {
        return recordsJavaScript()
                || thread.filter(ThreadOffsets::areLoopsSupported).isPresent();
    }

    /** These options for a kernel that can walk JavaScript frames, or not. */
    public ProgramOptions withJavaScript(boolean isRecorded) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                readsSockets,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths.withJavaScript(isRecorded),
                categories);
    }

    /** These options with a ring buffer of this size and room for this many open calls. */
    public ProgramOptions withSizes(int newRingSizeBytes, int newMaxOpenSpans) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                readsSockets,
                thread,
                newRingSizeBytes,
                newMaxOpenSpans,
                stackDepths,
                categories);
    }

    /** These options with a window for each of these categories. */
    public ProgramOptions withCategories(List<String> newCategories) {
        return new ProgramOptions(
                registers,
                filter,
                follow,
                uprobeAttachType,
                sleepableUprobes,
                cookies,
                tasks,
                readsSockets,
                thread,
                ringSizeBytes,
                maxOpenSpans,
                stackDepths,
                newCategories);
    }

    /** The windows of the categories. */
    public Windows windows() {
        return new Windows(categories);
    }
}
