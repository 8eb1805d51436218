package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.Builtin;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.ObjectType;
import dev.probestream.collector.internal.v8.layout.KnownV8;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads what following async callers needs from the file that contains V8: instance types from the symbols
 * {@code v8dbg_*}, the numbers of builtins from V8's own table, the rest from code and further symbols.
 *
 * <p>The fields of promises, generators and contexts are in no symbol. They are constants of the program in the kernel,
 * as they are the same in V8 10.2 to 14.1 (js-objects.tq, js-promise.tq, promise.tq, js-generator.tq, contexts.tq), but
 * for one ({@link KnownV8#reaction}). Every object's instance type is checked before a field is used.
 */
public final class AsyncLayoutReader {
    private AsyncLayoutReader() {}

    /**
     * Reads the layout; its {@code threadPointer} is 0.
     *
     * @throws V8LayoutException if async callers cannot be followed; the message is a reason for the user
     * @throws IOException if the file cannot be read or is malformed
     */
    public static AsyncCallerLayout read(ElfFile elf, V8Symbols symbols, V8Layout layout)
            throws IOException, V8LayoutException {
        if (elf.machine() != ElfMachine.X86_64) {
            throw new V8LayoutException("async callers are followed on x86-64 only");
        }
        OptionalLong threadLocal = elf.threadPointerOffset(IsolateSymbols.CURRENT_ISOLATE);
        return new AsyncCallerLayout(
                threadLocal.orElse(AsyncCallerLayout.FIRST_KEY_VALUE),
                threadLocal.isPresent() ? 0 : IsolateSymbols.key(elf),
                MicrotaskRoot.offset(elf),
                KnownV8.reaction(layout.version()),
                layout.functions().shared(),
                layout.functions().context(),
                Math.max(
                        layout.sharedFunctions().data(),
                        layout.sharedFunctions().untrustedData()),
                0,
                types(symbols, layout),
                builtins(BuiltinNumbers.read(elf)));
    }

    private static Map<ObjectType, Integer> types(V8Symbols symbols, V8Layout layout) throws V8LayoutException {
        Map<ObjectType, Integer> types = new EnumMap<>(ObjectType.class);
        for (ObjectType type : ObjectType.values()) {
            int number = switch (type) {
                case FULFILL_TASK -> symbols.type("PromiseFulfillReactionJobTask");
                case REJECT_TASK -> symbols.type("PromiseRejectReactionJobTask");
                case PROMISE -> symbols.type("JSPromise");
                case PROMISE_REACTION -> symbols.type("PromiseReaction");
                case ASYNC_FUNCTION -> symbols.type("JSAsyncFunctionObject");
                case ASYNC_GENERATOR -> symbols.type("JSAsyncGeneratorObject");
                case GENERATOR_REQUEST -> symbols.type("AsyncGeneratorRequest");
                case CAPABILITY -> symbols.type("PromiseCapability");
                case FIRST_FUNCTION -> layout.types().firstJsFunction();
                case LAST_FUNCTION -> layout.types().lastJsFunction();
                case CALLABLE_TASK -> symbols.type("CallableTask");
                case THENABLE_TASK -> symbols.type("PromiseResolveThenableJobTask");
                case SHARED_FUNCTION_INFO -> layout.types().sharedFunctionInfo();
            };
            types.put(type, number);
        }
        return types;
    }

    private static Map<Builtin, Integer> builtins(BuiltinNumbers numbers) throws V8LayoutException {
        Map<Builtin, Integer> builtins = new EnumMap<>(Builtin.class);
        for (Builtin builtin : Builtin.values()) {
            int number = switch (builtin) {
                case FUNCTION_AWAIT_RESOLVE -> number(numbers, "AsyncFunctionAwaitResolveClosure");
                case GENERATOR_AWAIT_RESOLVE -> number(numbers, "AsyncGeneratorAwaitResolveClosure");
                case GENERATOR_YIELD_RESOLVE ->
                    number(numbers, "AsyncGeneratorYieldWithAwaitResolveClosure", "AsyncGeneratorYieldResolveClosure");
                case FUNCTION_AWAIT_REJECT -> number(numbers, "AsyncFunctionAwaitRejectClosure");
                case GENERATOR_AWAIT_REJECT -> number(numbers, "AsyncGeneratorAwaitRejectClosure");
                case ALL_RESOLVE -> number(numbers, "PromiseAllResolveElementClosure");
                case ALL_SETTLED_RESOLVE -> number(numbers, "PromiseAllSettledResolveElementClosure");
                case ANY_REJECT -> number(numbers, "PromiseAnyRejectElementClosure");
                case CAPABILITY_RESOLVE -> number(numbers, "PromiseCapabilityDefaultResolve");
                case PROMISE_CONSTRUCTOR -> number(numbers, "PromiseConstructor");
            };
            builtins.put(builtin, number);
        }
        return builtins;
    }

    /** Of the first name that there is. */
    private static int number(BuiltinNumbers numbers, String... names) throws V8LayoutException {
        return Stream.of(names)
                .filter(numbers.byName()::containsKey)
                .map(numbers.byName()::get)
                .findFirst()
                .orElseThrow(() -> new V8LayoutException("V8 has no builtin " + String.join(" or ", names)));
    }
}
