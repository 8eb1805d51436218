package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.stack.JavaScriptNames;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.internal.stack.Symbolizer;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Processes;
import dev.probestream.collector.internal.v8.async.ContextProcesses;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.schema.record.Stack;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of one capture and the names of their frames. What they need is read on a thread of its own while the probes
 * are attached, from {@link #prepare} to {@link #awaitPreparation}; otherwise for the thread that reads the capture.
 */
public final class CaptureStacks implements AutoCloseable {

    private final Symbolizer symbolizer = new Symbolizer(CxxDemangler.ofThisMachine());
    private final StackInterner interner;
    private final Optional<JavaScriptCapture> javaScript;
    private final Optional<ContextProcesses> contexts;
    private CompletableFuture<@Nullable Void> preparing = CompletableFuture.completedFuture(null);

    /** @param named takes each stack when its frames have names */
    public CaptureStacks(
            long captureId,
            boolean isLive,
            KernelObjects kernel,
            KernelOptions options,
            V8Executables executables,
            Consumer<Stack> named) {
        javaScript = JavaScriptCapture.of(kernel, options, executables);
        contexts = ContextProcesses.of(kernel.maps());
        JavaScriptNames names = javaScript.map(JavaScriptCapture::names).orElse(JavaScriptNames.NONE);
        interner = isLive
                ? StackInterner.live(captureId, symbolizer, names, named)
                : new StackInterner(captureId, symbolizer, names, named);
    }

    public StackInterner interner() {
        return interner;
    }

    /** Empty when the programs need nothing of V8. */
    public Optional<V8Processes> v8Processes() {
        return javaScript.map(JavaScriptCapture::processes);
    }

    /** Empty when the programs record no async contexts. */
    Optional<ContextProcesses> contexts() {
        return contexts;
    }

    /** Begins to read symbols, so that they are there before the first stack comes, not while the ring fills. */
    public void prepare(CollectionRequest request, TargetScope scope, boolean isLaunched) {
        preparing = CompletableFuture.runAsync(
                () -> read(request, scope, isLaunched), task -> new Thread(task, "stack-preparation").start());
    }

    private void read(CollectionRequest request, TargetScope scope, boolean isLaunched) {
        boolean withUser =
                request.probes().stream().anyMatch(spec -> spec.stack().user());
        boolean withKernel =
                request.probes().stream().anyMatch(spec -> spec.stack().kernel());
        if (withUser && (scope.isOpenEnded() || isLaunched)) {
            interner.recordMappings();
        }
        if ((withUser || withKernel) && !scope.isEverything()) {
            scope.targets().forEach(target -> interner.prepare(target.pid(), withKernel));
        }
        contexts.ifPresent(processes -> scope.targets().forEach(target -> processes.add(target.pid())));
        v8Processes().ifPresent(processes -> scope.targets().forEach(target -> processes.add(target.pid())));
    }

    public void awaitPreparation() {
        try {
            preparing.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    public List<String> takeWarnings() {
        List<String> warnings = new ArrayList<>(symbolizer.takeWarnings());
        javaScript.ifPresent(capture -> warnings.addAll(capture.takeWarnings()));
        contexts.ifPresent(processes -> warnings.addAll(processes.takeRefusals()));
        return warnings;
    }

    @Override
    public void close() {
        // The thread of the preparation uses what is closed here.
        preparing.exceptionally(failure -> null).join();
        interner.close();
        contexts.ifPresent(ContextProcesses::close);
        javaScript.ifPresent(JavaScriptCapture::close);
        symbolizer.close();
    }
}
