package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import java.util.List;

/**
 * Writes the programs that count in {@link V8ProcessLayout} when V8 moves objects of a process. They run at the entry of
 * functions of V8. What they do is in C (src/main/bpf/v8_relocations.bpf.c).
 */
public final class V8RelocationPrograms {
    /** The program where a thread begins to move objects. */
    public static final String BEGIN = "v8_begin";

    /** The program where a thread has moved objects. */
    public static final String END = "v8_end";

    /** The program where a heap is given back. */
    public static final String TEARDOWN = "v8_teardown";

    private static final int CALLED_STACK_BYTES = 32;

    private final TargetFilter filter;
    private final AttachType attachType;

    /**
     * @param filter only its pid namespace counts
     * @param attachType of the programs
     */
    public V8RelocationPrograms(TargetFilter filter, AttachType attachType) {
        this.filter = filter;
        this.attachType = attachType;
    }

    /** {@return the programs, in any order} */
    public List<ProgramSpec> all() {
        return List.of(program(BEGIN, "begin_moving"), program(END, "end_moving"), program(TEARDOWN, "give_heap_back"));
    }

    private ProgramSpec program(String name, String function) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        fragments.currentThread();
        assembler.mov(R1, R0).callFunction(function, CALLED_STACK_BYTES);
        fragments.exit();
        return new ProgramSpec(name, ProgramType.KPROBE, attachType, 0, 0, assembler.assemble());
    }
}
