package dev.probestream.cli.doctor;

import dev.probestream.bpf.kernel.KernelFeature;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Checks the features of the kernel by using them. */
final class FeatureChecks {
    private static final String REFUSED =
            "have it allowed: see capabilities, lockdown, seccomp, SELinux and AppArmor below";

    private FeatureChecks() {}

    static List<CheckResult> run() {
        List<CheckResult> results = new ArrayList<>();
        KernelFeature.Support programs = KernelFeature.PROGRAMS.probe();
        if (programs.isRefused()) {
            // All other checks fail alike.
            return List.of(CheckResult.missing("programs", programs.reason(), REFUSED));
        }
        for (KernelFeature feature : KernelFeature.values()) {
            whatIsLostWithout(feature).ifPresent(loss -> results.add(run(feature, loss)));
        }
        results.add(userProbes());
        return results;
    }

    private static CheckResult run(KernelFeature feature, String loss) {
        KernelFeature.Support support = feature.probe();
        String name = feature.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        if (support.isSupported()) {
            return CheckResult.ok(name, feature.title());
        }
        String remedy = (support.isRefused() ? REFUSED : "use Linux " + feature.sinceKernel() + " or newer")
                + (loss.isEmpty() ? "" : "; without it " + loss);
        return loss.isEmpty()
                ? CheckResult.missing(name, support.reason(), remedy)
                : CheckResult.limited(name, support.reason(), remedy);
    }

    /** The restriction without the feature; "" if recording is not possible; empty for features that {@link #userProbes}
     * reports. */
    private static Optional<String> whatIsLostWithout(KernelFeature feature) {
        return switch (feature) {
            // The programs that follow forks and ends of processes read the kernel's memory.
            case PROGRAMS, RING_BUFFER, KERNEL_MEMORY -> Optional.of("");
            case UPROBE_MULTI, UPROBE_PERF_LINK, UPROBE_PERF_IOCTL, BPF_COOKIE -> Optional.empty();
            case SLEEPABLE_UPROBE -> Optional.of("text on pages that are not in memory reads as unavailable");
            case TRACEPOINT -> Optional.of("there are no tracepoint:... probes");
            case RAW_TRACEPOINT -> Optional.of("the sets syscalls, sched and offcpu cannot be recorded");
            case CPU_CLOCK -> Optional.of("the sets profile and incident cannot be recorded");
            case NAMESPACE_IDS -> Optional.of("nothing can be recorded from inside a container with a pid namespace");
            case LOOPS ->
                Optional.of("JavaScript functions have names only where Node.js was started with --perf-basic-prof");
            case ATOMIC_FETCH ->
                Optional.of("'hist' cannot count by stack, and shows no sums, averages, smallest and greatest values");
            case BTF -> Optional.of("the set sched and --follow may not work");
            case CURRENT_TASK_BTF ->
                Optional.of("hits have no async context, so that less of what requests do is found to be theirs");
        };
    }

    private static CheckResult userProbes() {
        List<UprobeAttachMethod> means = Arrays.stream(UprobeAttachMethod.values())
                .filter(candidate -> candidate.feature().probe().isSupported())
                .toList();
        if (means.isEmpty()) {
            return CheckResult.missing(
                    "user probes",
                    KernelFeature.UPROBE_PERF_IOCTL.probe().reason(),
                    "use a kernel built with CONFIG_UPROBE_EVENTS=y");
        }
        UprobeAttachMethod best = means.get(0);
        String found = best.feature().title();
        return switch (best) {
            case MULTI -> CheckResult.ok("user probes", found);
            case PERF_LINK, PERF_IOCTL ->
                CheckResult.limited(
                        "user probes",
                        found,
                        "Linux 6.6 or newer detaches them in an instant, this one takes 0.1 s for each");
        };
    }
}
