package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes the program of signals that end a process unless it handles them (raw tracepoint signal_generate). It runs in the
 * thread that sends, of any process; a hit is recorded for a traced process that receives, and is an event of that process
 * (src/main/bpf/signals.bpf.c). The stack is recorded when a process sends to itself, which it also does by a fault.
 */
public final class SignalProgram {
    /** What the probe is called in a recording. */
    public static final String NAME = "signal";

    /** Those whose default action ends the process, of the first 31, without timers and profiling (signal(7)). */
    private static final List<String> SIGNALS = List.of(
            "",
            "SIGHUP",
            "SIGINT",
            "SIGQUIT",
            "SIGILL",
            "SIGTRAP",
            "SIGABRT",
            "SIGBUS",
            "SIGFPE",
            "SIGKILL",
            "SIGUSR1",
            "SIGSEGV",
            "SIGUSR2",
            "SIGPIPE",
            "SIGALRM",
            "SIGTERM",
            "SIGSTKFLT",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "SIGXCPU",
            "SIGXFSZ",
            "",
            "",
            "",
            "",
            "",
            "SIGSYS");

    /** Codes for all signals (sigaction(2)). */
    private static final Map<String, String> CODES =
            Map.of("0", "kill", "-1", "sigqueue", "-6", "tgkill", "128", "kernel", "-2", "timer");

    /** Of record_signal(). */
    private static final int CALLED_STACK_BYTES = 32;

    /** Of struct signal_threads. */
    private static final int SAMPLE_OFFSET_IN_THREADS = 2 * Long.BYTES;

    private static final int THREADS_SIZE_BYTES = SAMPLE_OFFSET_IN_THREADS + Long.BYTES;

    /** TRACE_SIGNAL_IGNORED of trace/events/signal.h. */
    private static final int IGNORED = 1;

    private static final int TASK_OFFSET_IN_CONTEXT = 16;
    private static final int RESULT_OFFSET_IN_CONTEXT = 32;

    private final RegisterTable registers;
    private final TargetFilter filter;
    private final TaskOffsets offsets;

    public SignalProgram(RegisterTable registers, TargetFilter filter, TaskOffsets offsets) {
        this.registers = registers;
        this.filter = filter;
        this.offsets = offsets;
    }

    /** What is recorded of a signal: which, why, and which thread sent it. */
    public static List<ArgumentSpec> arguments() {
        List<ArgumentSpec> arguments = new ArrayList<>();
        Map<String, String> names = IntStream.range(0, SIGNALS.size())
                .filter(number -> !SIGNALS.get(number).isEmpty())
                .boxed()
                .collect(Collectors.toMap(String::valueOf, SIGNALS::get));
        arguments.add(number("signal").labelled(names));
        arguments.add(number("code").labelled(CODES));
        arguments.add(number("sender_pid"));
        arguments.add(number("sender_tid"));
        arguments.add(number("sender_uid"));
        arguments.add(ArgumentSpec.ofThreadName("sender", SwitchLayout.COMM_SIZE_BYTES));
        return arguments;
    }

    private static ArgumentSpec number(String name) {
        return ArgumentSpec.of(name, ArgumentSource.field(name), ArgumentType.number(Form.S32));
    }

    public static EventLayout layout(StackDepths depths) {
        return EventLayout.of(EventKind.INSTANT, arguments(), Optional.empty(), depths);
    }

    /** signal_generate(int signal, kernel_siginfo *info, task_struct *receiver, int group, int result). */
    public List<Instruction> write(int probeId, EventLayout layout) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label unrecorded = assembler.newLabel();
        int sender = assembler.stackSlot(THREADS_SIZE_BYTES);
        int receiver = sender + Long.BYTES;

        assembler.mov(R6, R1);
        rejectOtherSignals(assembler, unrecorded);
        assembler.load(Width.DOUBLE_WORD, R9, R6, TASK_OFFSET_IN_CONTEXT);
        fragments.currentThread(sender);
        fragments.taskIds(receiver, R9, offsets);
        fragments.rejectUntracedProcess(receiver + Integer.BYTES, unrecorded);
        assembler.mov(R1, R6).mov(R2, R10).add(R2, sender).mov(R3, probeId).mov(R4, layout.sizeBytes());
        assembler.callFunction("record_signal", CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, unrecorded);
        assembler.load(Width.DOUBLE_WORD, R7, R10, sender + SAMPLE_OFFSET_IN_THREADS);
        stack(assembler, layout.stacks(), sender, receiver);
        fragments.submitAndWake();
        assembler.bind(unrecorded);
        fragments.exit();
        return assembler.assemble();
    }

    private static void rejectOtherSignals(Assembler assembler, Label other) {
        long mask = IntStream.range(0, SIGNALS.size())
                .filter(number -> !SIGNALS.get(number).isEmpty())
                .mapToLong(number -> 1L << number)
                .sum();
        assembler.load(Width.WORD, R1, R6, 0).jumpIf(Condition.GREATER_OR_EQUAL, R1, SIGNALS.size(), other);
        assembler.loadImmediate64(R2, mask).shiftRight(R2, R1).and(R2, 1).jumpIf(Condition.EQUAL, R2, 0, other);
        assembler.load(Width.WORD, R1, R6, RESULT_OFFSET_IN_CONTEXT).jumpIf(Condition.EQUAL, R1, IGNORED, other);
    }

    /** Another process's stack does not describe the receiver. */
    private void stack(Assembler assembler, StackRoom stacks, int sender, int receiver) {
        if (!stacks.isAny()) {
            return;
        }
        Label other = assembler.newLabel();
        Label done = assembler.newLabel();
        StackCode code = new StackCode(assembler, registers);
        assembler.load(Width.WORD, R1, R10, sender + Integer.BYTES).load(Width.WORD, R2, R10, receiver + Integer.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, other);
        code.read(stacks);
        assembler.jump(done);
        assembler.bind(other);
        code.none(stacks);
        assembler.bind(done);
    }
}
