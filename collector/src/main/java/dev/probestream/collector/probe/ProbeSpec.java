package dev.probestream.collector.probe;

import java.util.List;
import java.util.Optional;

/**
 * What a user or a preset asks to be recorded at one probe, before it is looked for in any file. The grammar:
 *
 * <pre>
 *   uprobe:[PATH:]FUNCTION[+OFFSET]   uretprobe:[PATH:]FUNCTION   span:[PATH:]FUNCTION
 *   usdt:[PATH:]PROVIDER:NAME         usdt:/PATH:NAME             u:[PATH|PROVIDER:]NAME
 *   tracepoint:CATEGORY:EVENT         rawtracepoint:EVENT         syscalls         sched
 *   then (name=arg1:str, fd=arg2:s32, len=*arg3:u32@+8, req=arg1-336:ptr, size=*arg2:u64@+88 at return, result=ret:s64)
 *   then [stack] [ustack] [kstack] [counter] [pastcheck]
 * </pre>
 *
 * PATH left out (or empty) is the target's own executable; a PATH without a slash is the file name of a mapped library.
 * A function name that holds one of {@code ( [ + / "} or blanks stands in double quotes. Types: s8 u8 s16 u16 s32 u32 s64 u64 ptr
 * bool str str[CAPACITY] char[SIZE]; without a type a number is s64, and a tracepoint's field is what its format says.
 *
 * @param kind the kind of probe
 * @param text the spec as written
 * @param module PATH as written, "" = the target's own executable; for a tracepoint its category; else ""
 * @param function the function, the event, or {@code PROVIDER:NAME} of a USDT probe; "" for syscalls and sched
 * @param isGlob whether {@code *} and {@code ?} in the function match many names (not in a quoted name)
 * @param offsetBytes where in the function an {@link ProbeKind#UPROBE} sits
 * @param arguments what to record, in order; an empty list at a tracepoint means all its fields
 * @param result when present, the returned value is recorded too
 * @param condition which hits are recorded at all; empty = all
 * @param stack which stacks to record
 * @param counter whether each number is the value of a counter
 * @param pastCheck whether the probe goes behind a check that the function may begin with (of a register, a jump, a push): the
 *     kernel can emulate the push but must single-step the check, at some ten times the cost. Calls that the
 *     check turns away are not seen then
 * @param name what a person calls it; "" = as the function
 * @param category the preset's name, or "user"
 * @param optional whether a target that lacks the function is no error (presets)
 */
public record ProbeSpec(
        ProbeKind kind,
        String text,
        String module,
        String function,
        boolean isGlob,
        long offsetBytes,
        List<ArgumentSpec> arguments,
        Optional<ReturnSpec> result,
        Optional<ArgumentCondition> condition,
        StackSpec stack,
        boolean counter,
        boolean pastCheck,
        String name,
        String category,
        boolean optional) {

    /** {@link #category()} of what a user asks for by a spec of their own. */
    public static final String USER_CATEGORY = "user";

    public ProbeSpec {
        arguments = List.copyOf(arguments);
    }

    /**
     * Reads a spec a user wrote; its category is {@link #USER_CATEGORY}.
     *
     * @throws SpecSyntaxException when it cannot be understood, with the position
     */
    public static ProbeSpec parse(String text) {
        return new SpecParser(text).parse();
    }

    /** What a slice is called when the function it was resolved to is {@code resolvedFunction}. */
    public String displayName(String resolvedFunction) {
        return name.isEmpty() ? resolvedFunction : name;
    }

    /** This spec for one of the functions or events its glob stands for. */
    public ProbeSpec resolvedTo(String oneFunction) {
        return new ProbeSpec(
                kind,
                text,
                module,
                oneFunction,
                false,
                offsetBytes,
                arguments,
                result,
                condition,
                stack,
                counter,
                pastCheck,
                name,
                category,
                optional);
    }

    /** This spec for another file than the target's own executable, unless it names a file already. */
    public ProbeSpec withDefaultModule(String path) {
        return new ProbeSpec(
                kind,
                text,
                module.isEmpty() && kind.isUserFunction() ? path : module,
                function,
                isGlob,
                offsetBytes,
                arguments,
                result,
                condition,
                stack,
                counter,
                pastCheck,
                name,
                category,
                optional);
    }
}
