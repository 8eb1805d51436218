package dev.probestream.collector;

import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.capture.CollectorRun;
import dev.probestream.collector.internal.capture.PreparedCapture;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionProgress;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One collection: {@link #open} resolves and loads the probes, {@link #run} attaches them and reads the ring, {@link
 * #close} removes everything from the kernel.
 *
 * <p>Threads: {@code run} works on the thread that calls it, which is also the one that calls the publisher and the
 * progress listener; it starts no other thread that calls the user's code. All other methods may be called from any
 * thread at any time.
 */
public final class Collector implements AutoCloseable {
    /**
     * How many of the latest Stack records a publisher of a {@linkplain CollectionRequest#isLive live} collection has to
     * keep, so that it has the stack of every event: a stack is published again after half as many others.
     */
    public static final int MAX_LIVE_STACKS = 2 * StackInterner.MAX_KNOWN_LIVE;

    private final long captureId = new SecureRandom().nextLong() & Long.MAX_VALUE;
    private final PreparedCapture prepared;
    private final StopSignal stop;
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Object lifecycle = new Object();
    // Guarded by lifecycle:
    private boolean hasRun;
    private boolean isClosed;
    /** The thread inside {@link #run}. */
    private @Nullable Thread runner;

    private Collector(PreparedCapture prepared, StopSignal stop) {
        this.prepared = prepared;
        this.stop = stop;
        warnings.addAll(prepared.warnings());
    }

    /**
     * Finds the targets and the probes, and loads the programs; attaches nothing yet. A command is started and held.
     *
     * @param request what to collect
     * @return the collection; the caller closes it
     * @throws ResolveException if a process or a probe cannot be found or may not be used
     * @throws IOException if a command cannot be started
     * @throws dev.probestream.collector.probe.ProbeArgumentException if a probe asks for an argument that is not there
     * @throws dev.probestream.bpf.sys.SyscallException if the kernel refuses, above all for lack of privileges (root, or
     *     CAP_BPF and CAP_PERFMON)
     * @throws dev.probestream.bpf.kernel.UnsupportedFeatureException if the kernel lacks what is needed
     */
    public static Collector open(CollectionRequest request) throws ResolveException, IOException {
        return open(request, new StopSignal());
    }

    /**
     * The same with a signal that exists before the collection does, for a handler of Ctrl-C.
     *
     * @param request what to collect
     * @param stop ends the collection when it is raised, as {@link #stop} does
     * @return the collection; the caller closes it
     * @throws ResolveException if a process or a probe cannot be found or may not be used
     * @throws IOException if a command cannot be started
     */
    public static Collector open(CollectionRequest request, StopSignal stop) throws ResolveException, IOException {
        return open(request, stop, UprobeAttachMethod::best);
    }

    /** The same with a way to attach uprobes that may not be this kernel's best. */
    static Collector open(CollectionRequest request, StopSignal stop, Supplier<UprobeAttachMethod> attachMethod)
            throws ResolveException, IOException {
        OwnPidNamespace namespace = OwnPidNamespace.read();
        List<String> command = request.targets().command();
        @Nullable
        LaunchedCommand launched = command.isEmpty()
                ? null
                : LaunchedCommand.start(command, request.targets().environment());
        try {
            return new Collector(PreparedCapture.of(request, launched, namespace, attachMethod), stop);
        } catch (ResolveException | RuntimeException e) {
            if (launched != null) {
                launched.close();
            }
            throw e;
        }
    }

    /**
     * Attaches the probes, reads until there is a reason to end, detaches, and reads the rest: what was hit is published
     * or counted as lost when this returns. Blocks for as long as the collection lasts; may be called once.
     *
     * <p>It ends when {@link #stop} is called, the request's limit is over, the targets have ended, or the publisher
     * throws. Interrupting the thread does not end it.
     *
     * @param publisher takes events and records, on this thread; the caller closes it
     * @return how it ended; its losses are exact
     * @throws dev.probestream.collector.publish.PublishException if the publisher accepts no more; its other
     *     exceptions are passed on unchanged. The probes stay attached until {@link #close}, which follows at once in
     *     try-with-resources
     * @throws IllegalStateException if this collection has run before or is closed
     */
    public CollectionOutcome run(EventPublisher publisher) {
        return run(publisher, progress -> {});
    }

    /**
     * The same, with progress.
     *
     * @param publisher takes events and records, on this thread; the caller closes it
     * @param progress called with the state about four times a second and at the end, on this thread, first when all
     *     probes are in place; must be quick
     * @return how it ended; its losses are exact
     * @throws dev.probestream.collector.publish.PublishException as {@link #run(EventPublisher)} does
     * @throws IllegalStateException if this collection has run before or is closed
     */
    public CollectionOutcome run(EventPublisher publisher, CollectionProgress.Listener progress) {
        beginRun();
        try (CollectorRun run = new CollectorRun(captureId, prepared, publisher)) {
            run.attach();
            run.begin();
            for (RefusedAttachPoint point : prepared.kernel().refused()) {
                warnings.add("the kernel would not probe " + point.attachPoint() + ": " + point.reason());
            }
            LaunchedCommand launched = prepared.launched();
            if (launched != null) {
                launched.release();
            }
            CollectionOutcome outcome = run.untilTheEnd(stop, progress, warnings);
            warnings.addAll(run.warnings());
            return outcome;
        } finally {
            endRun();
        }
    }

    /**
     * Asks {@link #run} to end in order, and returns at once; it ends in a few milliseconds, unless its publisher blocks
     * longer. Has no effect on one that has ended; one that has not begun ends as soon as it is attached. May be called
     * from the publisher and from a shutdown hook.
     */
    public void stop() {
        stop.raise();
    }

    /**
     * {@return what a user should know, a sentence each: functions that were skipped, features that are missing, attach
     * points that the kernel refused, and, once {@link #run} has returned, what was not seen}
     */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** {@return what the records of this collection carry; random and not negative} */
    public long captureId() {
        return captureId;
    }

    /** {@return how many probes there are; all system calls together are one} */
    public int probeCount() {
        return prepared.finder().found().size();
    }

    /**
     * Removes everything from the kernel, and ends a command that still runs. If {@link #run} is at work on another thread,
     * asks it to end and waits until it has; called from its publisher, the removal follows when {@code run} ends. A second
     * call does nothing.
     */
    @Override
    public void close() {
        stop.raise();
        boolean isInterrupted = false;
        synchronized (lifecycle) {
            boolean isOfPublisher = runner == Thread.currentThread();
            while (runner != null && !isOfPublisher) {
                try {
                    lifecycle.wait();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (!isClosed) {
                isClosed = true;
                if (!isOfPublisher) {
                    prepared.close();
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void beginRun() {
        synchronized (lifecycle) {
            if (hasRun || isClosed) {
                throw new IllegalStateException(
                        "run a collection: it " + (isClosed ? "is closed" : "has run before; open another one"));
            }
            hasRun = true;
            runner = Thread.currentThread();
        }
    }

    private void endRun() {
        synchronized (lifecycle) {
            runner = null;
            if (isClosed) {
                prepared.close();
            }
            lifecycle.notifyAll();
        }
    }
}
