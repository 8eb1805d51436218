package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import java.util.Optional;

/** What an entry of a {@link JavaScriptRoom} is that stands for an async caller: its pc, as no code is at 1 to 4 ({@code enum async_kind} of src/main/bpf/v8.h). */
public enum AsyncKind {
    /** A function that awaits: its function and, as a Smi, the offset in its bytecode where it goes on. */
    AWAIT(1, ""),
    /**
     * {@code Promise.all}: the builtin that takes one of the results. V8 numbers them; the word is 0 all the same, as the
     * stacks of 1000 promises that are combined would be 1000 stacks.
     */
    ALL(2, "Promise.all"),
    /** {@code Promise.allSettled}, likewise. */
    ALL_SETTLED(3, "Promise.allSettled"),
    /** {@code Promise.any}, likewise. */
    ANY(4, "Promise.any");

    private final int pc;
    private final String symbol;

    AsyncKind(int pc, String symbol) {
        this.pc = pc;
        this.symbol = symbol;
    }

    /** Of the function that combines promises; "" for an entry that has a function of its own. */
    public String symbol() {
        return symbol;
    }

    public int pc() {
        return pc;
    }

    public static Optional<AsyncKind> ofPc(long pc) {
        return pc >= AWAIT.pc && pc <= ANY.pc ? Optional.of(values()[(int) pc - 1]) : Optional.empty();
    }
}
