package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.internal.syscall.LinkCreation;
import dev.probestream.bpf.internal.syscall.PerfEvents;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tries each feature on the running kernel. Attaching to something invalid is enough: the errno shows whether the
 * kernel supports the request.
 */
final class FeatureProbe {
    private static final Path NO_SUCH_FILE = Path.of("/nonexistent/probestream");
    private static final Path KERNEL_BTF = Path.of("/sys/kernel/btf/vmlinux");
    private static final Path TRACEPOINT_DEVICE = Path.of("/sys/bus/event_source/devices/tracepoint");

    private FeatureProbe() {}

    static KernelFeature.Support of(KernelFeature feature) {
        try {
            return obstacleTo(feature)
                    .map(reason -> new KernelFeature.Support(feature, false, false, reason))
                    .orElseGet(() -> new KernelFeature.Support(feature, true, false, "tried, and it works"));
        } catch (UnsupportedFeatureException e) {
            return e.support();
        } catch (SyscallException e) {
            boolean isRefused = BpfSyscall.isRefusal(e.errno());
            return new KernelFeature.Support(feature, false, isRefused, String.valueOf(e.getMessage()));
        } catch (VerifierException e) {
            return new KernelFeature.Support(feature, false, false, String.valueOf(e.getMessage()));
        }
    }

    private static Optional<String> obstacleTo(KernelFeature feature) {
        return switch (feature) {
            case PROGRAMS -> loads(program("programs", AttachType.NONE, 0, new Assembler()));
            case RING_BUFFER -> createsRingBuffer();
            case UPROBE_MULTI -> attachesMany();
            case UPROBE_PERF_LINK -> opensPerfUprobe().or(FeatureProbe::linksPerfEvents);
            case UPROBE_PERF_IOCTL -> opensPerfUprobe();
            case BPF_COOKIE ->
                loads(program("cookie", AttachType.NONE, 0, new Assembler().call(Helper.GET_ATTACH_COOKIE)));
            case SLEEPABLE_UPROBE ->
                loads(program("sleepable", AttachType.NONE, ProgramSpec.BPF_F_SLEEPABLE, new Assembler()));
            case TRACEPOINT ->
                Files.exists(TRACEPOINT_DEVICE)
                        ? loads(spec("tracepoint", ProgramType.TRACEPOINT, AttachType.NONE, 0, new Assembler()))
                        : Optional.of("there is no " + TRACEPOINT_DEVICE);
            case RAW_TRACEPOINT -> attachesRawTracepoint();
            case BTF ->
                Files.isReadable(KERNEL_BTF)
                        ? Optional.empty()
                        : Optional.of("cannot read " + KERNEL_BTF + " (built without CONFIG_DEBUG_INFO_BTF?)");
            case CPU_CLOCK -> samples();
            case KERNEL_MEMORY -> loads(program("memory", AttachType.NONE, 0, kernelMemory()));
            case NAMESPACE_IDS -> loads(program("ids", AttachType.NONE, 0, namespaceIds()));
            case ATOMIC_FETCH -> loads(program("atomics", AttachType.NONE, 0, exchange()));
            case LOOPS -> loads(program("loops", AttachType.NONE, 0, loop()));
            case CURRENT_TASK_BTF ->
                loads(program("task", AttachType.NONE, 0, new Assembler().call(Helper.GET_CURRENT_TASK_BTF)));
        };
    }

    private static Assembler kernelMemory() {
        Assembler body = new Assembler();
        int slot = body.stackSlot(Long.BYTES);
        return body.mov(Register.R1, Register.R10)
                .add(Register.R1, slot)
                .mov(Register.R2, Long.BYTES)
                .mov(Register.R3, Register.R10)
                .call(Helper.PROBE_READ_KERNEL);
    }

    private static Assembler exchange() {
        Assembler body = new Assembler();
        int slot = body.stackSlot(Long.BYTES);
        return body.mov(Register.R1, 1)
                .storeImmediate(Width.DOUBLE_WORD, Register.R10, slot, 0)
                .atomicExchange(Width.DOUBLE_WORD, Register.R10, slot, Register.R1);
    }

    private static Assembler loop() {
        Assembler function = new Assembler().mov(Register.R0, 1).exit();
        return new Assembler()
                .call(Helper.GET_CURRENT_TASK_BTF)
                .mov(Register.R1, Register.R0)
                .call(Helper.TASK_PT_REGS)
                .mov(Register.R1, 1)
                .loadFunction(Register.R2, function.assemble())
                .mov(Register.R3, 0)
                .mov(Register.R4, 0)
                .call(Helper.LOOP);
    }

    private static Assembler namespaceIds() {
        Assembler body = new Assembler();
        int slot = body.stackSlot(Long.BYTES);
        return body.mov(Register.R1, 0)
                .mov(Register.R2, 0)
                .mov(Register.R3, Register.R10)
                .add(Register.R3, slot)
                .mov(Register.R4, Long.BYTES)
                .call(Helper.GET_NS_CURRENT_PID_TGID);
    }

    private static Optional<String> loads(ProgramSpec spec) {
        BpfProgram.load(spec, Map.of()).close();
        return Optional.empty();
    }

    private static Optional<String> createsRingBuffer() {
        BpfMap.create(MapSpec.ringBuffer("trial_ring", PageSize.bytes())).close();
        return Optional.empty();
    }

    /**
     * A folder in place of a file: a kernel with uprobe_multi answers EBADF. Its first version treated a pid as that of
     * one thread. The corrected version (6.10, backported to 6.6) is also the one that refuses a negative pid with
     * EINVAL. libbpf makes the same two attempts.
     */
    private static Optional<String> attachesMany() {
        ProgramSpec spec = program("multi", AttachType.TRACE_UPROBE_MULTI, 0, new Assembler());
        List<AttachPoint> attachPoint = List.of(new AttachPoint(Path.of("/"), 0, 0, 0));
        try (BpfProgram program = BpfProgram.load(spec, Map.of())) {
            long toFolder = MultiUprobes.link(program, Path.of("/"), attachPoint, false, 0);
            if (!Errno.EBADF.is(toFolder)) {
                return Optional.of(failure("link a program by uprobe_multi", toFolder));
            }
            long toNegativePid = MultiUprobes.link(program, Path.of("/proc/self/exe"), attachPoint, false, -1);
            return Errno.EINVAL.is(toNegativePid)
                    ? Optional.empty()
                    : Optional.of("its uprobe_multi treats a pid as a thread id (corrected in 6.10)");
        }
    }

    private static Optional<String> opensPerfUprobe() {
        Optional<Integer> type = PerfEvents.uprobeType();
        if (type.isEmpty()) {
            return Optional.of(
                    "there is no /sys/bus/event_source/devices/uprobe (built without CONFIG_UPROBE_EVENTS?)");
        }
        long result = PerfEvents.openUprobe(type.get(), NO_SUCH_FILE, 0, 0, false, -1);
        return Errno.ENOENT.is(result) ? Optional.empty() : Optional.of(failure("open a uprobe by perf event", result));
    }

    private static Optional<String> linksPerfEvents() {
        try (BpfProgram program = BpfProgram.load(program("link", AttachType.NONE, 0, new Assembler()), Map.of())) {
            long result = LinkCreation.ofNoPerfEvent(program.descriptorNumber());
            return Errno.EBADF.is(result)
                    ? Optional.empty()
                    : Optional.of(failure("link a program to a perf event", result));
        }
    }

    private static Optional<String> attachesRawTracepoint() {
        ProgramSpec spec = spec("raw", ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, new Assembler());
        try (BpfProgram program = BpfProgram.load(spec, Map.of())) {
            RawTracepoints.attach(program, "sched_process_exit").close();
            return Optional.empty();
        }
    }

    private static Optional<String> samples() {
        ProgramSpec spec = spec("clock", ProgramType.PERF_EVENT, AttachType.NONE, 0, new Assembler());
        try (BpfProgram program = BpfProgram.load(spec, Map.of())) {
            CpuClocks.attach(program, 1).close();
            return Optional.empty();
        }
    }

    private static String failure(String attempt, long result) {
        if (result >= 0) {
            // An unexpected success: close the returned descriptor.
            FileDescriptor.of(result, attempt, "").close();
            return attempt + ": the kernel accepted what it should refuse";
        }
        throw new SyscallException(attempt, (int) -result, BpfSyscall.advice(result));
    }

    private static ProgramSpec program(String name, AttachType attachType, int flags, Assembler body) {
        return spec(name, ProgramType.KPROBE, attachType, flags, body);
    }

    private static ProgramSpec spec(String name, ProgramType type, AttachType attachType, int flags, Assembler body) {
        return new ProgramSpec(
                "trial_" + name,
                type,
                attachType,
                flags,
                0,
                body.mov(Register.R0, 0).exit().assemble());
    }
}
