package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import dev.probestream.bpf.kernel.KernelFeature;
import dev.probestream.bpf.kernel.UnsupportedFeatureException;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.options.KernelFields;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.request.CollectionRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What this kernel can do for a capture, determined once: the one place where the collector falls back.
 *
 * @param options for the planner
 * @param attachMethod by which uprobes are attached
 * @param threadPointer where task_struct has the thread pointer of user mode, in bytes; 0 = it is not known or needed
 * @param warnings what a user should know of what is missing
 */
public record KernelOptions(
        ProgramOptions options, UprobeAttachMethod attachMethod, int threadPointer, List<String> warnings) {
    public KernelOptions {
        warnings = List.copyOf(warnings);
    }

    /**
     * Asks the kernel.
     *
     * @param types of the kernel
     * @throws UnsupportedFeatureException when it lacks what the request cannot do without
     */
    public static KernelOptions ask(CollectionRequest request, TargetScope scope, KernelTypes types) {
        return ask(request, scope, UprobeAttachMethod::best, types);
    }

    /** The same with a given way to attach uprobes, if any probe needs them. */
    public static KernelOptions ask(
            CollectionRequest request,
            TargetScope scope,
            Supplier<UprobeAttachMethod> uprobeAttachMethod,
            KernelTypes types) {
        require(KernelFeature.RING_BUFFER);
        RegisterTable registers = RegisterTable.ofJavaArchitecture(System.getProperty("os.arch"))
                .orElseThrow(() -> new UnsupportedOperationException(
                        "record on " + System.getProperty("os.arch") + ": only x86-64 and aarch64 are known"));
        List<String> warnings = new ArrayList<>();
        ProgramOptions options = ProgramOptions.of(registers, filter(scope, types, warnings))
                .withFollow(scope.follow())
                .withSizes(request.ringSizeBytes(), ProgramOptions.DEFAULT_MAX_OPEN_SPANS)
                .withCategories(request.probes().stream()
                        .map(spec -> spec.preset().category())
                        .distinct()
                        .toList());
        UprobeAttachMethod attachMethod = UprobeAttachMethod.MULTI;
        if (request.probes().stream().anyMatch(ProbeSpec::isInUserSpace)) {
            attachMethod = uprobeAttachMethod.get();
            boolean sleepable = KernelFeature.SLEEPABLE_UPROBE.probe().isSupported();
            options = options.withUprobes(attachMethod.attachType(), sleepable, attachMethod.hasCookies());
            if (!sleepable) {
                warnings.add("this kernel cannot read user memory that is not resident (needs "
                        + KernelFeature.SLEEPABLE_UPROBE.sinceKernel()
                        + "): some strings may be marked unavailable");
            }
        }
        options = withTasks(options, request, scope, types, warnings);
        return new KernelOptions(withSockets(options, request, types, warnings), attachMethod, 0, warnings);
    }

    /**
     * The same with JavaScript frames in user stacks, if any probe has these and a process may run V8.
     *
     * @param executables reads those of the processes
     * @param types of the kernel
     */
    public KernelOptions withJavaScript(
            CollectionRequest request, TargetScope scope, V8Executables executables, KernelTypes types) {
        boolean isAsked =
                request.probes().stream().anyMatch(spec -> spec.stack().user());
        if (!isAsked || !mayRunV8(request, scope, executables)) {
            return this;
        }
        List<String> all = new ArrayList<>(warnings);
        all.addAll(executables.takeRefusals());
        KernelFeature.Support loops = KernelFeature.LOOPS.probe();
        if (!loops.isSupported()) {
            all.add("JavaScript functions have names only where Node.js was started with --perf-basic-prof: this kernel"
                    + " does not support " + loops.feature().title() + " (needs "
                    + loops.feature().sinceKernel() + "): " + loops.reason());
        }
        return new KernelOptions(
                options.withJavaScript(loops.isSupported()),
                attachMethod,
                loops.isSupported() ? threadPointerOffset(types) : 0,
                all);
    }

    /** The same with the async context of threads and the streams of their loops, if any probe records one of these. */
    public KernelOptions withContexts(CollectionRequest request, KernelTypes types) {
        boolean isAsked =
                request.probes().stream().flatMap(spec -> spec.read().stream()).anyMatch(ArgumentSpec::isOfThread);
        if (!isAsked) {
            return this;
        }
        KernelFeature.Support task = KernelFeature.CURRENT_TASK_BTF.probe();
        if (!task.isSupported()) {
            return withoutContexts("this kernel does not support "
                    + task.feature().title() + " (needs " + task.feature().sinceKernel() + ")");
        }
        try {
            ProgramOptions more = options.withThread(
                    ThreadOffsets.of(types.read(), KernelFeature.LOOPS.probe().isSupported()));
            return new KernelOptions(more, attachMethod, threadPointer, warnings);
        } catch (IOException | UnknownFieldException e) {
            return withoutContexts(String.valueOf(e.getMessage()));
        }
    }

    private KernelOptions withoutContexts(String reason) {
        List<String> all = new ArrayList<>(warnings);
        all.add("hits have no async context, and values of the types uvstream and uvreader are unavailable: " + reason);
        return new KernelOptions(options, attachMethod, threadPointer, all);
    }

    /** Of task_struct; 0 = it is not known. */
    private static int threadPointerOffset(KernelTypes types) {
        try {
            return Math.toIntExact(
                    FieldPath.resolve(types.read(), "task_struct.thread.fsbase").offsetBytes());
        } catch (IOException | UnknownFieldException e) {
            return 0; // not x86-64
        }
    }

    private static boolean mayRunV8(CollectionRequest request, TargetScope scope, V8Executables executables) {
        return scope.isOpenEnded()
                || !request.targets().command().isEmpty()
                || scope.targets().stream()
                        .map(target -> executables.of(target.executable(), target.executableFile()))
                        .anyMatch(Optional::isPresent);
    }

    /** The filter of the scope, in a container with its ids. */
    private static TargetFilter filter(TargetScope scope, KernelTypes types, List<String> warnings) {
        if (scope.namespace().isInitial()) {
            return scope.filter();
        }
        require(KernelFeature.NAMESPACE_IDS);
        boolean containsOthers = false;
        try {
            KernelFields.IDS.requireIn(types.read());
            containsOthers = true;
        } catch (IOException | UnknownFieldException e) {
            warnings.add("processes of pid namespaces inside this one are not recorded: " + e.getMessage());
        }
        return scope.filter().in(scope.pidNamespace(containsOthers).orElseThrow());
    }

    private static ProgramOptions withSockets(
            ProgramOptions options, CollectionRequest request, KernelTypes types, List<String> warnings) {
        boolean needed = request.probes().stream()
                .flatMap(spec -> spec.arguments().stream())
                .anyMatch(argument -> argument.type().form().isSocketEnd());
        if (!needed) {
            return options;
        }
        try {
            KernelFields.SOCKETS.requireIn(types.read());
            return options.withSockets();
        } catch (IOException | UnknownFieldException e) {
            warnings.add("the addresses of the two ends of a socket cannot be read: " + e.getMessage());
            return options;
        }
    }

    private static ProgramOptions withTasks(
            ProgramOptions options,
            CollectionRequest request,
            TargetScope scope,
            KernelTypes types,
            List<String> warnings) {
        try {
            return options.withTasks(TaskOffsets.of(types.read()));
        } catch (IOException | UnknownFieldException e) {
            boolean needed = scope.isOpenEnded()
                    || request.probes().stream()
                            .map(ProbeSpec::kind)
                            .anyMatch(kind -> kind == ProbeKind.SCHED || kind == ProbeKind.SIGNALS);
            if (needed) {
                throw new UnsupportedFeatureException(KernelFeature.BTF.probe());
            }
            warnings.add("threads and processes that start later are not named: " + e.getMessage());
            return options;
        }
    }

    /**
     * Tries a feature.
     *
     * @throws UnsupportedFeatureException when the kernel lacks it
     */
    public static void require(KernelFeature feature) {
        if (!feature.probe().isSupported()) {
            throw new UnsupportedFeatureException(feature.probe());
        }
    }
}
