package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.internal.program.code.InstantProgram;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.code.SchedPrograms;
import dev.probestream.collector.internal.program.code.SignalProgram;
import dev.probestream.collector.internal.program.code.SummedSchedPrograms;
import dev.probestream.collector.internal.program.code.SyscallPrograms;
import dev.probestream.collector.internal.program.code.TaskLifecyclePrograms;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.access.RawTracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.SampleAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointAccess;
import dev.probestream.collector.internal.program.snippet.access.TracepointArguments;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;
import java.util.Optional;

/** Plans the probes that sit in the kernel. */
final class KernelPlanner {
    private static final int MAX_THREADS_IN_SYSCALLS = 32_768;

    /** Those of a thousand threads with thirty different calls each. */
    private static final int MAX_SUMS = 32_768;

    /** Many more than can be between their end and their last context switch. */
    private static final int MAX_ENDED_THREADS = 4096;

    private final PlanParts parts;
    private final ProgramOptions options;

    KernelPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
    }

    void tracepoint(ResolvedProbe probe) {
        ProbeSpec spec = probe.spec();
        TracepointArguments arguments = TracepointArguments.of(spec, probe.tracepoint());
        Assembler assembler = new Assembler();
        ArgumentAccess access = new TracepointAccess(assembler, arguments, spec.module());
        List<Integer> ids = List.of(probe.probeId());
        List<Instruction> program = instant(probe, assembler, access, arguments.arguments(), arguments.filter());
        ProgramSpec loaded = program("tracepoint", ProgramType.TRACEPOINT, ids, program);
        parts.programs.add(new PlannedProgram(loaded, Attachment.tracepoint(probe), ids, false));
    }

    void rawTracepoint(ResolvedProbe probe) {
        ProbeSpec spec = probe.spec();
        Assembler assembler = new Assembler();
        raw(
                "raw",
                spec.function(),
                List.of(probe.probeId()),
                false,
                instant(probe, assembler, new RawTracepointAccess(assembler), spec.arguments(), spec.filter()));
    }

    void profile(ResolvedProbe probe) {
        Assembler assembler = new Assembler();
        List<Integer> ids = List.of(probe.probeId());
        SampleAccess access = new SampleAccess(assembler, probe.spec().frequencyHz());
        List<Instruction> program = instant(
                probe, assembler, access, SampleAccess.arguments(), probe.spec().filter());
        ProgramSpec loaded = program("profile", ProgramType.PERF_EVENT, ids, program);
        parts.programs.add(
                new PlannedProgram(loaded, Attachment.cpuClock(probe.spec().frequencyHz()), ids, false));
    }

    private List<Instruction> instant(
            ResolvedProbe probe,
            Assembler assembler,
            ArgumentAccess access,
            List<ArgumentSpec> arguments,
            Optional<Filter> filter) {
        EventLayout layout = parts.layout(probe.spec(), arguments);
        parts.add(probe, arguments, layout);
        ArgumentCode code = new ArgumentCode(assembler, access, false, options.kernelOffsets());
        return new InstantProgram(assembler, options.registers(), options.filter(), code)
                .write(List.of(probe.probeId()), filter, arguments, layout.arguments(), layout);
    }

    /**
     * The programs that record the task lifecycle.
     *
     * @param leavesPhases whether any span ends where the next begins
     */
    void taskLifecycle(TaskOffsets tasks, boolean leavesPhases) {
        TaskLifecyclePrograms programs =
                new TaskLifecyclePrograms(options.filter(), options.follow(), tasks, leavesPhases);
        if (options.filter().namespace().isPresent()) {
            parts.maps.add(new MapSpec(
                    MapNames.ENDED_THREADS, MapType.LRU_HASH, Integer.BYTES, Long.BYTES, MAX_ENDED_THREADS, 0));
        }
        raw("life_fork", "sched_process_fork", List.of(), false, programs.forkProgram());
        raw("life_exec", "sched_process_exec", List.of(), false, programs.execProgram());
        raw("life_exit", "sched_process_exit", List.of(), false, programs.exitProgram());
        raw("life_rename", "task_rename", List.of(), false, programs.renameProgram());
    }

    /** Of the task lifecycle only the program that reports children. */
    void forks(TaskOffsets tasks) {
        TaskLifecyclePrograms programs = new TaskLifecyclePrograms(options.filter(), options.follow(), tasks, false);
        raw("life_fork", "sched_process_fork", List.of(), false, programs.forkProgram());
    }

    void sched(ResolvedProbe probe) {
        TaskOffsets tasks = options.tasks()
                .orElseThrow(() -> new IllegalArgumentException(
                        "record " + probe.spec().text() + ": the layout of task_struct is not known"));
        if (probe.spec().isSummed()) {
            summedSched(probe, tasks);
            return;
        }
        SchedPrograms sched = new SchedPrograms(options.registers(), options.filter(), tasks);
        StackDepths depths = options.stackDepths().of(probe.spec().stack());
        int switchId = probe.probeId();
        int wakingId = switchId + 1;
        EventLayout switchLayout = SchedPrograms.switchLayout(depths);
        EventLayout wakingLayout = SchedPrograms.wakingLayout();
        parts.probes.add(new PlannedProbe(
                switchId,
                probe.spec(),
                "sched_switch",
                ResolvedProbe.KERNEL,
                SchedPrograms.switchArguments(),
                switchLayout));
        parts.probes.add(new PlannedProbe(
                wakingId,
                probe.spec(),
                "sched_waking",
                ResolvedProbe.KERNEL,
                SchedPrograms.wakingArguments(),
                wakingLayout));
        raw("switch", "sched_switch", List.of(switchId), false, sched.switchProgram(switchId, switchLayout));
        raw("waking", "sched_waking", List.of(wakingId), false, sched.wakingProgram(wakingId));
    }

    private void summedSched(ResolvedProbe probe, TaskOffsets tasks) {
        int offCpu = probe.probeId();
        int runDelay = offCpu + 1;
        ProbeSpec spec = probe.spec();
        parts.summedSched = Optional.of(probe);
        parts.probes.add(new PlannedProbe(
                offCpu,
                spec.withRole("sched.off"),
                "off CPU",
                ResolvedProbe.KERNEL,
                OffCpuLayout.arguments(),
                OffCpuLayout.sample()));
        parts.probes.add(new PlannedProbe(
                runDelay, spec, "run delay", ResolvedProbe.KERNEL, List.of(), OffCpuLayout.runDelay()));
        parts.maps.add(MapSpec.hash(
                MapNames.OFF_CPU, OffCpuLayout.KEY_SIZE_BYTES, OffCpuLayout.VALUE_SIZE_BYTES, MAX_THREADS_IN_SYSCALLS));
        parts.maps.add(MapSpec.hash(MapNames.SCHED_SUMS, SumLayout.KEY_SIZE_BYTES, SumLayout.SIZE_BYTES, MAX_SUMS));
        parts.maps.add(MapSpec.array(MapNames.SCHED_REST, SumLayout.SIZE_BYTES, 2));
        parts.maps.add(MapSpec.array(MapNames.SCHED_LIMIT, Long.BYTES, 1));
        parts.pairingMaps.add(new PairingMap(
                MapNames.OFF_CPU, OffCpuLayout.VALUE_SIZE_BYTES, spec.preset().category(), Entries.KEPT));
        SummedSchedPrograms programs = new SummedSchedPrograms(options.filter(), tasks, offCpu);
        raw("waking", "sched_waking", List.of(runDelay), false, programs.wakingProgram());
        raw("switch", "sched_switch", List.of(offCpu), false, programs.switchProgram());
    }

    void signals(ResolvedProbe probe) {
        TaskOffsets tasks = options.tasks()
                .orElseThrow(() -> new IllegalArgumentException(
                        "record " + probe.spec().text() + ": the layout of task_struct is not known"));
        EventLayout layout =
                SignalProgram.layout(options.stackDepths().of(probe.spec().stack()));
        int id = probe.probeId();
        parts.probes.add(new PlannedProbe(
                id, probe.spec(), SignalProgram.NAME, ResolvedProbe.KERNEL, SignalProgram.arguments(), layout));
        raw(
                "signal",
                "signal_generate",
                List.of(id),
                false,
                new SignalProgram(options.registers(), options.filter(), tasks).write(id, layout));
    }

    void syscalls(ResolvedProbe probe) {
        if (parts.syscalls.isPresent()) {
            throw new ProbeArgumentException(probe.spec(), "system calls are recorded already");
        }
        SyscallLayout layout = new SyscallLayout(
                options.registers(), options.stackDepths().of(probe.spec().stack()));
        int first = probe.probeId();
        PlannedSyscalls planned = new PlannedSyscalls(first, probe.spec(), layout);
        parts.syscalls = Optional.of(planned);
        parts.maps.add(
                MapSpec.hash(MapNames.OPEN_SYSCALLS, Integer.BYTES, planned.openSizeBytes(), MAX_THREADS_IN_SYSCALLS));
        parts.maps.add(MapSpec.array(MapNames.SYSCALL_TEXTS, Integer.BYTES, SyscallProbes.COUNT));
        parts.pairingMaps.add(new PairingMap(
                MapNames.OPEN_SYSCALLS,
                planned.openSizeBytes(),
                probe.spec().preset().category(),
                Entries.KEPT));
        // Losses of no single call are counted under the last id, which stands for all other calls.
        List<Integer> ids = List.of(first + SyscallProbes.COUNT - 1);
        if (probe.spec().isSummed()) {
            parts.maps.add(
                    MapSpec.hash(MapNames.SYSCALL_SUMS, SumLayout.KEY_SIZE_BYTES, SumLayout.SIZE_BYTES, MAX_SUMS));
            parts.maps.add(MapSpec.array(MapNames.SYSCALL_REST, SumLayout.SIZE_BYTES, SyscallProbes.COUNT));
            parts.maps.add(MapSpec.array(MapNames.SYSCALL_LIMIT, Long.BYTES, 1));
        }
        SyscallPrograms programs = new SyscallPrograms(options.registers(), options.filter(), planned);
        raw("sys_exit", "sys_exit", ids, true, programs.exitProgram());
        raw("sys_end", "sched_process_exit", ids, true, programs.threadEndProgram());
        raw("sys_enter", "sys_enter", ids, false, programs.enterProgram());
    }

    private void raw(
            String name, String tracepoint, List<Integer> ids, boolean isSpanReturn, List<Instruction> instructions) {
        ProgramSpec program = program(name, ProgramType.RAW_TRACEPOINT, ids, instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.rawTracepoint(tracepoint), ids, isSpanReturn));
    }

    private static ProgramSpec program(
            String name, ProgramType type, List<Integer> ids, List<Instruction> instructions) {
        String suffix = ids.isEmpty() ? "" : "_" + ids.get(0);
        return new ProgramSpec(name + suffix, type, AttachType.NONE, 0, 0, instructions);
    }
}
