package dev.probestream.collector.probe;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a user or a preset asks to be recorded at one probe, before it is looked for in any file. The grammar:
 *
 * <pre>
 *   uprobe:[PATH:]FUNCTION[+OFFSET]   uretprobe:[PATH:]FUNCTION   span:[PATH:]FUNCTION
 *   usdt:[PATH:]PROVIDER:NAME         usdt:/PATH:NAME             u:[PATH|PROVIDER:]NAME
 *   usdtspan:[PATH:]PROVIDER:BEGIN,END                            (argN: of BEGIN; argN at return: of END)
 *   tracepoint:CATEGORY:EVENT         rawtracepoint:EVENT         syscalls         sched
 *   profile:HZ                        (also profile:99hz, profile:hz:99)
 *   then, in any order: (name=arg1:str, fd=arg2:s32, len=*arg3:u32@+8, req=arg1-336:ptr, size=*arg2:u64@+88 at return, result=ret:s64)
 *   /fd > 2 && path ^= "/etc/"/  (see {@link Filter})
 *   [stack] [ustack] [kstack] [counter] [pastcheck]
 * </pre>
 *
 * PATH left out (or empty) is the target's own executable; a PATH without a slash is the file name of a mapped library.
 * A function name that holds one of {@code ( [ + / "} or blanks stands in double quotes. Types: s8 u8 s16 u16 s32 u32 s64 u64 ptr
 * bool str str[CAPACITY] str[argN] str[argN,CAPACITY] (the length in bytes is argument N) str[..argN] str[..argN,CAPACITY]
 * (the text ends before the address in argument N) gostr gostr[CAPACITY] (Go's
 * pointer and length: two arguments, or 16 bytes in memory) char[SIZE] sockaddr (the address in a struct sockaddr, as text) peer sockname (the addresses of the
 * other end and of this end of the socket whose file descriptor the value is); without a type a number is s64, and a tracepoint's
 * field or a USDT probe's argument is what the kernel or the note says. {@code *arg2:str@+16@+56} reads the pointer 16 bytes
 * behind arg2, and the text's pointer 56 bytes behind that. A tracepoint's field may be written {@code args.FIELD}.
 *
 * <p>A filter compares numbers ({@code == != < <= > >=}), some of their bits ({@code (arg2 & 0x40) != 0}) and texts
 * ({@code == != ^=}, the last for "begins with"), joined by {@code && || !} and parentheses. It may name a value as above, a
 * recorded argument by its name, pid, tid, comm, cpu, uid and, of a span or a pair, duration in ns; these words go before the names
 * of recorded arguments and fields. A value without a type has the type it is recorded with.
 *
 * @param kind the kind of probe
 * @param text the spec as written
 * @param module PATH as written, "" = the target's own executable; for a tracepoint its category; else ""
 * @param function the function, the event, {@code PROVIDER:NAME} of a USDT probe, {@code PROVIDER:BEGIN,END}
 *     of a pair ({@link UsdtPair}); the frequency of profile; "" for syscalls and sched
 * @param isGlob whether {@code *} and {@code ?} in the function match many names (not in a quoted name)
 * @param offsetBytes where in the function an {@link ProbeKind#UPROBE} sits
 * @param arguments what to record, in order; an empty list at a tracepoint means all its fields
 * @param result when present, the returned value is recorded too
 * @param filter which hits are recorded at all; empty = all
 * @param stack which stacks to record
 * @param counter whether each number is the value of a counter
 * @param pastCheck whether the probe goes behind a check that the function may begin with (of a register, a jump, a push): the
 *     kernel can emulate the push, or the jump of a function that only calls a callback, but must single-step the check, at
 *     some ten times the cost. Calls that the check turns away are not seen behind the push
 * @param name what a person calls it; "" = as the function
 * @param category the preset's name, or "user"
 * @param optional whether a target that lacks the function is no error (presets)
 * @param role what a hit means to the assembly of requests, as {@code Probe.role} of the Avro schema; "" = nothing (presets)
 * @param condition for which files it is meant; in others it is left out without a word (presets)
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
        Optional<Filter> filter,
        StackSpec stack,
        boolean counter,
        boolean pastCheck,
        String name,
        String category,
        boolean optional,
        String role,
        FileCondition condition) {

    /** {@link #category()} of what a user asks for by a spec of their own. */
    public static final String USER_CATEGORY = "user";

    /** {@link #category()} of samples of the cpu, however they are asked for: a reader knows them by it. */
    public static final String PROFILE_CATEGORY = "profile";

    /** A sample of a deep stack takes some 5 us, so that ten thousand a second slow a cpu down by a twentieth. */
    static final int MAX_PROFILE_HZ = 10_000;

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

    /** How many times a second a {@link ProbeKind#PROFILE} looks. */
    public int frequencyHz() {
        if (kind != ProbeKind.PROFILE) {
            throw new IllegalStateException(text + " has no frequency");
        }
        return Integer.parseInt(function);
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
                filter,
                stack,
                counter,
                pastCheck,
                name,
                category,
                optional,
                role,
                condition);
    }

    /** This spec for one of the things it may mean. */
    public ProbeSpec resolvedTo(ProbeKind oneKind, String path, String names, boolean areGlob) {
        return new ProbeSpec(
                oneKind,
                text,
                path,
                names,
                areGlob,
                offsetBytes,
                arguments,
                result,
                filter,
                stack,
                counter,
                pastCheck,
                name,
                category,
                optional,
                role,
                condition);
    }

    /** The same probe with these stacks, as if it had been asked for so. */
    ProbeSpec withStack(StackSpec otherStack, String otherText) {
        return new ProbeSpec(
                kind,
                otherText,
                module,
                function,
                isGlob,
                offsetBytes,
                arguments,
                result,
                filter,
                otherStack,
                counter,
                pastCheck,
                name,
                category,
                optional,
                role,
                condition);
    }

    /** The same probe in another preset. */
    ProbeSpec inCategory(String otherCategory) {
        return new ProbeSpec(
                kind,
                text,
                module,
                function,
                isGlob,
                offsetBytes,
                arguments,
                result,
                filter,
                stack,
                counter,
                pastCheck,
                name,
                otherCategory,
                optional,
                role,
                condition);
    }

    /** This spec recording other arguments, or the same with other types; the filter is given their like. */
    public ProbeSpec recording(List<ArgumentSpec> others, UnaryOperator<ArgumentSpec> filterTypes) {
        return new ProbeSpec(
                kind,
                text,
                module,
                function,
                isGlob,
                offsetBytes,
                others,
                result,
                filter.map(wanted -> wanted.withArguments(filterTypes)),
                stack,
                counter,
                pastCheck,
                name,
                category,
                optional,
                role,
                condition);
    }
}
