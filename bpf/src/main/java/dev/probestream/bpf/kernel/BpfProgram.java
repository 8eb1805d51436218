package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.internal.syscall.PerfEvents;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.watch.RunStatistics;
import java.util.Map;
import java.util.Optional;

/**
 * A program that the kernel has verified and loaded. It runs while a {@link Link} attaches it; the two may be closed in
 * any order.
 *
 * <pre>
 * struct bpf_prog_info            union bpf_attr of BPF_OBJ_GET_INFO_BY_FD
 *   4  4  id                        0  4  bpf_fd
 * 192  8  run_time_ns               4  4  info_len
 * 200  8  run_cnt                   8  8  info
 * 208  8  recursion_misses
 * </pre>
 */
public final class BpfProgram implements AutoCloseable {
    private static final int INFO_ATTR_BYTES = 16;
    private static final int INFO_BYTES = 256;

    private final ProgramSpec spec;
    private final FileDescriptor descriptor;

    private BpfProgram(ProgramSpec spec, FileDescriptor descriptor) {
        this.spec = spec;
        this.descriptor = descriptor;
    }

    /**
     * Loads the program into the kernel, which verifies it.
     *
     * @param spec what to create
     * @param maps the open maps that the program's instructions name, by that name; borrowed for the call, and the
     *     kernel keeps them as long as the program
     * @return the program; the caller closes it
     * @throws VerifierException when the verifier rejects the program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses it before verification
     * @throws IllegalArgumentException when a map is missing
     */
    public static BpfProgram load(ProgramSpec spec, Map<String, BpfMap> maps) {
        return load(spec, maps, Optional.empty());
    }

    /** As {@link #load(ProgramSpec, Map)}, with the types that the program refers to. */
    static BpfProgram load(ProgramSpec spec, Map<String, BpfMap> maps, Optional<FileDescriptor> types) {
        return new BpfProgram(spec, new ProgramLoader(spec, maps).load(types));
    }

    /** {@return what the program was loaded from} */
    public ProgramSpec spec() {
        return spec;
    }

    /**
     * {@return how often the kernel did not run the program because it was running on that CPU already (since 5.12)}
     */
    public long recursionMisses() {
        return info().getLong(208);
    }

    /** {@return how often and how long the program ran while a {@link RunStatistics} was open} */
    public Runs runs() {
        NativeMemory info = info();
        return new Runs(info.getLong(200), info.getLong(192));
    }

    /**
     * Runs of a program while a {@link RunStatistics} was open.
     *
     * @param count how many
     * @param timeNs how long they took together
     */
    public record Runs(long count, long timeNs) {
        /**
         * {@return those since an earlier moment}
         *
         * @param earlier the runs until then
         */
        public Runs since(Runs earlier) {
            return new Runs(count - earlier.count, timeNs - earlier.timeNs);
        }
    }

    /** {@return the id of the program in the kernel, as bpftool lists it} */
    public int id() {
        return info().getInt(4);
    }

    /** Closes the descriptor; the kernel keeps the program as long as a link attaches it. */
    @Override
    public void close() {
        descriptor.close();
    }

    @Override
    public String toString() {
        return "program " + spec.name();
    }

    /** Attaches to a perf event and takes ownership of it, as {@link PerfEvents#attach} does. */
    Link attachTo(FileDescriptor perfEvent, long cookie, boolean byLink) {
        return PerfEvents.attach(descriptor.number(), toString(), perfEvent, cookie, byLink)::close;
    }

    int descriptorNumber() {
        return descriptor.number();
    }

    private NativeMemory info() {
        NativeMemory info = NativeMemory.allocate(INFO_BYTES);
        NativeMemory attr = NativeMemory.allocate(INFO_ATTR_BYTES)
                .putInt(0, descriptor.number())
                .putInt(4, INFO_BYTES)
                .putPointer(8, info);
        long result = Syscalls.bpf(BpfSyscall.BPF_OBJ_GET_INFO_BY_FD, attr);
        Syscalls.check(result, "read the statistics of program " + spec.name(), BpfSyscall.advice(result));
        return info;
    }
}
