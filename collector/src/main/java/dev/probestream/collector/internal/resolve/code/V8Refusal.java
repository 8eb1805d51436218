package dev.probestream.collector.internal.resolve.code;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Refuses probes on the return of functions that JavaScript calls directly. V8's garbage collector looks up the address to
 * which they return (the pc of an exit frame, v8/src/execution/frames.cc); when the kernel has put its own there, it finds
 * no code and ends the process: "Check failed: maybe_code.has_value()".
 */
public final class V8Refusal {
    /** Part of the mangled name of what takes a {@code v8::FunctionCallbackInfo} or a {@code v8::PropertyCallbackInfo}. */
    private static final List<String> CALLBACK_ARGUMENTS =
            List.of("2v820FunctionCallbackInfoI", "2v820PropertyCallbackInfoI");

    /** V8's own that its builtins call, and the builtins. */
    private static final List<String> CALLED_BY_BUILTINS =
            List.of("v8::internal::Runtime_", "v8::internal::Builtin_", "Builtins_");

    /** What a callback of Node ends in by a jump: runMicrotasks(). */
    private static final String JUMPED_TO = "v8::internal::MicrotaskQueue::PerformCheckpoint";

    private V8Refusal() {}

    /** @param functions those that the spec means, by name */
    public static void check(ProbeSpec spec, Map<String, List<ElfSymbol>> functions, String what)
            throws ResolveException {
        for (ElfSymbol symbol :
                functions.values().stream().flatMap(Collection::stream).toList()) {
            if (isCalledByJavaScript(symbol)) {
                throw new ResolveException(
                        Reason.REFUSED,
                        what + ": JavaScript calls " + symbol.qualifiedName() + " directly, and "
                                + spec.kind().spelling()
                                + " replaces its return address, which V8 looks up when it collects garbage: the"
                                + " process would end. Use uprobe: on it, or "
                                + spec.kind().spelling() + ": on what it calls");
            }
        }
    }

    static boolean isCalledByJavaScript(ElfSymbol symbol) {
        String name = symbol.qualifiedName();
        return CALLBACK_ARGUMENTS.stream().anyMatch(symbol.name()::contains)
                || CALLED_BY_BUILTINS.stream().anyMatch(name::startsWith)
                || name.equals(JUMPED_TO);
    }
}
