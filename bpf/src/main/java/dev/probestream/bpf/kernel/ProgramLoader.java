package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.machine.Confinement;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.sys.Errno;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Loads one program: first without the verifier's log, which makes loading slower, and again with it when the kernel
 * refuses the program.
 *
 * <pre>
 * union bpf_attr of BPF_PROG_LOAD
 *   0  4  prog_type            28  4  log_size                48 16  prog_name
 *   4  4  insn_cnt             32  8  log_buf                 68  4  expected_attach_type
 *   8  8  insns                44  4  prog_flags              72  4  prog_btf_fd
 *  16  8  license                                             76  4  func_info_rec_size
 *  24  4  log_level                                           80  8  func_info
 *                                                             88  4  func_info_cnt
 *                                                             92  4  line_info_rec_size
 *                                                             96  8  line_info
 *                                                            104  4  line_info_cnt
 *                                                            108  4  attach_btf_id
 * </pre>
 */
final class ProgramLoader {
    private static final int ATTR_BYTES = 144;

    /** Makes the kernel's GPL-only helpers available to programs. */
    private static final String LICENSE = "Dual MIT/GPL";

    /** Before 6.11 and since. */
    private static final Pattern UNKNOWN_READ = Pattern.compile(
            "unknown func bpf_probe_read_kernel|program of this type cannot use helper bpf_probe_read_kernel");

    private static final int FIRST_LOG_BYTES = 1 << 20;
    private static final int LARGEST_LOG_BYTES = 1 << 24;

    /** The verifier fails with EAGAIN when a signal arrives; libbpf retries as often. */
    private static final int ATTEMPTS_WHEN_INTERRUPTED = 5;

    private final ProgramSpec spec;
    private final Map<String, BpfMap> maps;

    ProgramLoader(ProgramSpec spec, Map<String, BpfMap> maps) {
        this.spec = spec;
        this.maps = maps;
    }

    /**
     * Loads the program.
     *
     * @param objectTypes the types to which {@link ProgramSpec#compiled} refers; without them the kernel gets no lines
     */
    FileDescriptor load(Optional<FileDescriptor> objectTypes) {
        if (objectTypes.isPresent() && !spec.compiled().functions().isEmpty()) {
            return load(withRecords(attr(), objectTypes.get()));
        }
        List<Integer> functions = FunctionTypes.starts(spec.instructions());
        if (functions.isEmpty()) {
            return load(attr());
        }
        try (FileDescriptor types = FunctionTypes.load()) {
            return load(attr().putInt(72, types.number())
                    .putInt(76, FunctionTypes.FUNC_INFO_BYTES)
                    .putPointer(80, FunctionTypes.info(functions))
                    .putInt(88, functions.size()));
        }
    }

    private NativeMemory withRecords(NativeMemory attr, FileDescriptor types) {
        CompiledCode compiled = spec.compiled();
        attr.putInt(72, types.number())
                .putInt(76, CompiledCode.FunctionStart.SIZE_BYTES)
                .putPointer(80, compiled.functionRecords())
                .putInt(88, compiled.functions().size());
        if (!compiled.lines().isEmpty()) {
            attr.putInt(92, CompiledCode.SourceLine.SIZE_BYTES)
                    .putPointer(96, compiled.lineRecords())
                    .putInt(104, compiled.lines().size());
        }
        return attr;
    }

    private FileDescriptor load(NativeMemory attr) {
        long result = submit(attr);
        // Before 5.11, EPERM may come from the limit on locked memory.
        if (Errno.EPERM.is(result) && BpfSyscall.raiseMemoryLockLimit()) {
            result = submit(attr);
        }
        if (result < 0 && !Errno.EPERM.is(result)) {
            return loadWithLog(attr, FIRST_LOG_BYTES);
        }
        return FileDescriptor.of(result, attempt(), BpfSyscall.advice(result));
    }

    private FileDescriptor loadWithLog(NativeMemory attr, int logBytes) {
        NativeMemory log = NativeMemory.allocate(logBytes);
        attr.putInt(24, 1).putInt(28, logBytes).putPointer(32, log);
        long result = submit(attr);
        // Kernels before 6.4 truncate the end of the log, which has the reason.
        if (Errno.ENOSPC.is(result) && logBytes < LARGEST_LOG_BYTES) {
            return loadWithLog(attr, logBytes * 4);
        }
        String text = spec.compiled().explain(log.getString(0, logBytes));
        if (result < 0 && isRefusedByLockdown(text, Confinement.ofThisProcess().lockdown())) {
            throw new UnsupportedFeatureException(new KernelFeature.Support(
                    KernelFeature.KERNEL_MEMORY,
                    false,
                    true,
                    attempt() + ": " + Errno.of((int) -result) + " (" + Confinement.CONFIDENTIALITY
                            + "; run 'doctor')"));
        }
        if (result < 0 && !text.isBlank()) {
            throw new VerifierException(spec.name(), Errno.of((int) -result), text);
        }
        return FileDescriptor.of(result, attempt(), advice(result));
    }

    /**
     * Whether the verifier does not know the helpers that read kernel memory because of LOCKDOWN_BPF_READ_KERNEL
     * (bpf_tracing_func_proto in kernel/trace/bpf_trace.c).
     */
    static boolean isRefusedByLockdown(String log, String lockdown) {
        return lockdown.equals("confidentiality") && UNKNOWN_READ.matcher(log).find();
    }

    /** An empty log shows that verification did not begin: the kernel does not support one of the attributes. */
    private String advice(long result) {
        return Errno.EINVAL.is(result)
                ? "this kernel does not know the program's type, attach type or flags; run 'doctor'"
                : BpfSyscall.advice(result);
    }

    private String attempt() {
        return "load program " + spec.name() + " (" + spec.type() + ", "
                + spec.instructions().size() + " instructions)";
    }

    private long submit(NativeMemory attr) {
        long result = Syscalls.bpf(BpfSyscall.BPF_PROG_LOAD, attr);
        for (int i = 1; i < ATTEMPTS_WHEN_INTERRUPTED && Errno.EAGAIN.is(result); i++) {
            result = Syscalls.bpf(BpfSyscall.BPF_PROG_LOAD, attr);
        }
        return result;
    }

    private NativeMemory attr() {
        NativeMemory attr = NativeMemory.allocate(ATTR_BYTES)
                .putInt(0, spec.type().number())
                .putInt(4, spec.instructions().size())
                .putPointer(8, instructions(spec.instructions()))
                .putPointer(16, NativeMemory.ofString(spec.compiled().license().orElse(LICENSE)))
                .putInt(44, spec.flags())
                .putInt(68, spec.expectedAttachType().number())
                .putInt(108, spec.attachBtfId());
        BpfSyscall.putName(attr, 48, spec.name());
        return attr;
    }

    private NativeMemory instructions(List<Instruction> instructions) {
        NativeMemory memory = NativeMemory.allocate(instructions.size() * Instruction.SIZE_BYTES);
        ByteBuffer buffer = memory.buffer();
        for (Instruction instruction : instructions) {
            resolve(instruction).writeTo(buffer);
        }
        return memory;
    }

    private Instruction resolve(Instruction instruction) {
        if (instruction.isLinkedCall()) {
            throw new IllegalArgumentException(
                    "program " + spec.name() + " calls " + instruction.symbol() + ", but was not linked with it");
        }
        if (!instruction.isMapLoad()) {
            return instruction;
        }
        BpfMap map = maps.get(instruction.symbol());
        if (map == null) {
            throw new IllegalArgumentException("program " + spec.name() + " loads map " + instruction.symbol()
                    + ", but was given only " + maps.keySet());
        }
        return instruction.withMapDescriptor(map.descriptorNumber());
    }
}
