package dev.probestream.collector.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a user or a preset asks to be recorded at one probe, before it is looked for in any file. The grammar:
 *
 * <pre>
 *   uprobe:[PATH:]FUNCTION[+OFFSET]   uretprobe:[PATH:]FUNCTION   span:[PATH:]FUNCTION
 *   usdt:[PATH:]PROVIDER:NAME         usdt:/PATH:NAME, usdt::NAME  u:[PATH|PROVIDER:]NAME
 *   usdtspan:[PATH:]PROVIDER:BEGIN,END                            (argN: of BEGIN; argN at return: of END)
 *   span(BEGIN -> END)  span(BEGIN -> END by KEY, ...)            (each a probe of one of the kinds above or below that is an
 *                                                                 instant, with its arguments and filter: {@link SpanEnds})
 *   tracepoint:CATEGORY:EVENT (or t:) rawtracepoint:EVENT         syscall:NAME
 *   syscalls   syscalls:10ms   syscalls:all   (the first is syscalls:1ms), and sched likewise
 *   profile:HZ                        (also profile:99hz, profile:hz:99)
 *   signals   process
 *   then, in any order: (name=arg1:str, fd=arg2:s32, len=*arg3:u32@+8, req=arg1-336:ptr, size=*arg2:u64@+88 at return, result=ret:s64)
 *   /fd > 2 &amp;&amp; path ^= "/etc/"/  (see {@link Filter})
 *   [stack] [ustack] [kstack] [counter] [pastcheck] [untilnext]
 * </pre>
 *
 * PATH left out (or empty) is the target's own executable; a PATH without a slash is the file name of a mapped library.
 * A function name that holds one of {@code ( [ + / "} or blanks stands in double quotes. Types: s8 u8 s16 u16 s32 u32 s64 u64 f32 f64 ptr
 * bool str str[CAPACITY] str[argN] str[argN,CAPACITY] (the length in bytes is argument N) str[..argN] str[..argN,CAPACITY]
 * (the text ends before the address in argument N) gostr gostr[CAPACITY] (Go's
 * pointer and length: two arguments, or 16 bytes in memory) char[SIZE] sockaddr (the address in a struct sockaddr, as text) peer sockname (the addresses of the
 * other end and of this end of the socket whose file descriptor the value is); without a type a number is s64, and a tracepoint's
 * field or a USDT probe's argument is that of the kernel's format or of the note. {@code *arg2:str@+16@+56} reads the
 * pointer 16 bytes behind arg2, and the text's pointer 56 bytes behind that. A tracepoint's field may be written {@code
 * args.FIELD}.
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
 *     of a pair ({@link UsdtPair}); the frequency of profile; for syscalls and sched {@code all}, or the limit in
 *     nanoseconds from which on a hit is an event; "" for signals
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
 * @param untilNext whether the span ends where the next such probe of its thread is hit that is not inside it, instead of
 *     where its function returns: it costs the target one trap instead of two, and what the thread does between the return
 *     and the next hit counts to it; a {@link ProbeKind#UPROBE} ends such spans and begins none
 * @param preset what the preset adds that the spec is from; {@link PresetTraits#NONE} for a spec of the user's own
 * @param ends of a {@link ProbeKind#PAIR} its two probes, which have its filter, too; else empty. The arguments of a pair are
 *     those that are listed behind both, as {@link SpanEnds#arguments} joins them
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
        boolean untilNext,
        PresetTraits preset,
        Optional<SpanEnds> ends) {

    /** What the kernel keeps of an open span with the flag untilnext has a fixed size. */
    public static final int MAX_ARGUMENTS_UNTIL_NEXT = 6;

    /** {@link #function} of a {@link ProbeKind#SYSCALLS} or {@link ProbeKind#SCHED} of which every hit is an event. */
    public static final String ALL_EVENTS = "all";

    /** A sample of a deep stack takes some 5 us, so that ten thousand a second slow a cpu down by a twentieth. */
    public static final int MAX_PROFILE_HZ = 10_000;

    /** Copies the lists. */
    public ProbeSpec {
        arguments = List.copyOf(arguments);
    }

    /**
     * {@return whether the kernel sums the hits of a {@link ProbeKind#SYSCALLS} or {@link ProbeKind#SCHED}, so that only
     * some are events: those that last {@link #eventLimitNs}, fail, or are of a kind that is always recorded}
     */
    public boolean isSummed() {
        boolean canBe = kind == ProbeKind.SYSCALLS || kind == ProbeKind.SCHED;
        return canBe && !function.equals(ALL_EVENTS);
    }

    /** {@return how long a summed hit must last to be an event for that alone} */
    public long eventLimitNs() {
        if (!isSummed()) {
            throw new IllegalStateException(text + " has no limit: every hit is an event");
        }
        return Long.parseLong(function);
    }

    /** {@return how many times a second a {@link ProbeKind#PROFILE} looks} */
    public int frequencyHz() {
        if (kind != ProbeKind.PROFILE) {
            throw new IllegalStateException(text + " has no frequency");
        }
        return Integer.parseInt(function);
    }

    /** {@return how many ids the probe takes: those of its kind, and one for each of its {@link ProbeCases}} */
    public int idCount() {
        return kind.idCount() + preset.cases().byValue().size();
    }

    /**
     * {@return the name in the recording when the function it was resolved to is {@code resolvedFunction}}
     *
     * @param resolvedFunction the function's name in its file
     */
    public String displayName(String resolvedFunction) {
        return preset.name().isEmpty() ? resolvedFunction : preset.name();
    }

    /** {@return all values that a program reads: what is recorded, and what the filter looks at} */
    public List<ArgumentSpec> read() {
        List<ArgumentSpec> read = new ArrayList<>(arguments);
        filter.ifPresent(condition -> read.addAll(condition.arguments()));
        ends.ifPresent(pair -> {
            read.addAll(pair.begin().read());
            read.addAll(pair.end().read());
        });
        return read;
    }

    /** {@return the probes that are attached for it: of a {@link ProbeKind#PAIR} both, else itself} */
    public List<ProbeSpec> attached() {
        return ends.map(pair -> List.of(pair.begin(), pair.end())).orElse(List.of(this));
    }

    /** {@return whether a probe that is attached for it sits in an ELF file} */
    public boolean isInUserSpace() {
        return attached().stream().anyMatch(spec -> spec.kind().isInUserSpace());
    }

    /**
     * {@return the same span between other probes}
     *
     * @param otherEnds its begin and its end; they decide what is recorded
     */
    public ProbeSpec between(SpanEnds otherEnds) {
        return new ProbeSpec(
                kind,
                text,
                module,
                function,
                isGlob,
                offsetBytes,
                otherEnds.arguments(
                        otherEnds.begin().arguments(), otherEnds.end().arguments()),
                result,
                filter,
                stack,
                counter,
                pastCheck,
                untilNext,
                preset,
                Optional.of(otherEnds));
    }

    /**
     * {@return the same probe with all of these filters instead of its own}
     *
     * @param parts the filters; the parts that it has are among them
     */
    public ProbeSpec filteredBy(List<Filter> parts) {
        Optional<Filter> all = parts.isEmpty() ? Optional.empty() : Optional.of(Filter.all(parts));
        return copy(kind, text, module, function, isGlob, arguments, result, all, stack, preset);
    }

    /**
     * {@return this spec for one of the functions or events that its glob matches}
     *
     * @param oneFunction its name
     */
    public ProbeSpec resolvedTo(String oneFunction) {
        return resolvedTo(kind, module, oneFunction, false);
    }

    /**
     * {@return this spec for one of the things it may mean}
     *
     * @param oneKind of the probe
     * @param path of the file, or empty
     * @param names of the functions or events
     * @param areGlob whether {@code names} is a pattern
     */
    public ProbeSpec resolvedTo(ProbeKind oneKind, String path, String names, boolean areGlob) {
        return copy(oneKind, text, path, names, areGlob, arguments, result, filter, stack, preset);
    }

    /**
     * {@return this spec recording other arguments, or the same with other types; the filter's values get their types
     * likewise}
     *
     * @param others what is recorded instead
     * @param filterTypes gives the filter's values their types
     */
    public ProbeSpec recording(List<ArgumentSpec> others, UnaryOperator<ArgumentSpec> filterTypes) {
        Optional<Filter> typed = filter.map(written -> written.withArguments(filterTypes));
        return copy(kind, text, module, function, isGlob, others, result, typed, stack, preset);
    }

    /**
     * {@return this spec with what a preset adds to it}
     *
     * @param described the arguments with names and units
     * @param describedResult the returned value, if it is recorded
     * @param condition for which files the probe is meant
     * @param traits its category and role
     */
    public ProbeSpec ofPreset(
            List<ArgumentSpec> described,
            Optional<ReturnSpec> describedResult,
            Optional<Filter> condition,
            PresetTraits traits) {
        return copy(kind, text, module, function, isGlob, described, describedResult, condition, stack, traits);
    }

    /**
     * {@return the same probe of the kernel with every hit an event, or those from a limit on}
     *
     * @param otherFunction {@link #ALL_EVENTS} or the limit in nanoseconds
     * @param otherText the spec that asks for it
     */
    public ProbeSpec withEvents(String otherFunction, String otherText) {
        return copy(kind, otherText, module, otherFunction, isGlob, arguments, result, filter, stack, preset);
    }

    /**
     * {@return the same probe with these stacks, as if it had been asked for so}
     *
     * @param otherStack which stacks
     * @param otherText the spec that asks for them
     */
    public ProbeSpec withStack(StackSpec otherStack, String otherText) {
        return copy(kind, otherText, module, function, isGlob, arguments, result, filter, otherStack, preset);
    }

    /**
     * {@return the same probe with a role}
     *
     * @param role what a hit means to the assembly of requests
     */
    public ProbeSpec withRole(String role) {
        PresetTraits traits =
                new PresetTraits(preset.name(), preset.category(), preset.optional(), role, preset.files());
        return copy(kind, text, module, function, isGlob, arguments, result, filter, stack, traits);
    }

    /**
     * {@return the same probe in another preset}
     *
     * @param category the preset's name
     */
    public ProbeSpec inCategory(String category) {
        PresetTraits other = preset.inCategory(category);
        return copy(kind, text, module, function, isGlob, arguments, result, filter, stack, other);
    }

    /** The one place that copies: whatever is not a parameter stays. */
    private ProbeSpec copy(
            ProbeKind newKind,
            String newText,
            String newModule,
            String newFunction,
            boolean newIsGlob,
            List<ArgumentSpec> newArguments,
            Optional<ReturnSpec> newResult,
            Optional<Filter> newFilter,
            StackSpec newStack,
            PresetTraits newPreset) {
        return new ProbeSpec(
                newKind,
                newText,
                newModule,
                newFunction,
                newIsGlob,
                offsetBytes,
                newArguments,
                newResult,
                newFilter,
                newStack,
                counter,
                pastCheck,
                untilNext,
                newPreset,
                ends);
    }
}
