package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.Windows;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import java.util.List;
import java.util.Optional;

/**
 * Writes the program that opens the windows of a capture when the shell that holds a command executes it (raw tracepoint
 * sched_process_exec: before the first instruction of the command). Once, as long as {@link MapNames#LAUNCH} holds 1: the
 * command may execute another program when the window is closed already.
 */
public final class ExecWindowProgram {
    public static final String TRACEPOINT = "sched_process_exec";

    private ExecWindowProgram() {}

    /**
     * The program.
     *
     * @param pid of the shell, which becomes the command
     * @param namespace of the pid, if it is not the initial one
     * @param windows those to open
     */
    public static ProgramSpec of(int pid, Optional<PidNamespace> namespace, Windows windows) {
        return new ProgramSpec(
                "exec_window",
                ProgramType.RAW_TRACEPOINT,
                AttachType.NONE,
                0,
                0,
                instructions(pid, namespace, windows));
    }

    private static List<Instruction> instructions(int pid, Optional<PidNamespace> namespace, Windows windows) {
        TargetFilter process = TargetFilter.process(pid);
        Assembler assembler = new Assembler();
        Fragments fragments =
                new Fragments(assembler, namespace.map(process::in).orElse(process));
        Label ignored = assembler.newLabel();
        int thread = fragments.currentThread();
        fragments.rejectUntracedThread(thread, ignored);
        assembler.loadMapValue(R1, MapNames.LAUNCH).load(Width.WORD, R0, R1, 0);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.storeImmediate(Width.WORD, R1, 0, 0);
        assembler.loadMapValue(R1, MapNames.WINDOW);
        for (int offset = 0; offset < windows.sizeBytes(); offset += Integer.BYTES) {
            assembler.storeImmediate(Width.WORD, R1, offset, 1);
        }
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }
}
