package dev.probestream.bpf.kernel;

import java.util.List;

/** Attaches programs to instructions of executable files. */
public final class Uprobes {
    /** Every process that runs the file, now or later. */
    public static final int EVERY_PROCESS = -1;

    private Uprobes() {}

    /**
     * Attaches one program to many attach points. An error that concerns one attach point or one file (an instruction
     * that cannot be probed, a missing file) leaves the others attached and is reported by {@link
     * UprobeAttachment#refused}; any other error throws, and nothing stays attached.
     *
     * @param method the program must have been loaded with its {@link UprobeAttachMethod#attachType}
     * @param program a loaded program; it stays the caller's
     * @param attachPoints with cookies only where {@link UprobeAttachMethod#hasCookies}
     * @param isReturn run when the function that begins at the attach point returns, instead of at its entry
     * @param pid process whose threads hit the probe, or {@link #EVERY_PROCESS}
     * @return the attachment; closing it detaches the program
     * @throws dev.probestream.bpf.sys.SyscallException EPERM without privileges, ESRCH without such a process
     * @throws UnsupportedFeatureException when the kernel has no uprobes at all
     */
    public static UprobeAttachment attach(
            UprobeAttachMethod method, BpfProgram program, List<AttachPoint> attachPoints, boolean isReturn, int pid) {
        checkProgram(method, program);
        if (!method.hasCookies() && attachPoints.stream().anyMatch(attachPoint -> attachPoint.cookie() != 0)) {
            throw new IllegalArgumentException(
                    method + " has no cookies for " + program + ": load a separate program for each attach point");
        }
        return switch (method) {
            case MULTI -> new MultiUprobes(program, isReturn, pid).attach(attachPoints);
            case PERF_LINK, PERF_IOCTL -> new PerfUprobes(method, program, isReturn, pid).attach(attachPoints);
        };
    }

    private static void checkProgram(UprobeAttachMethod method, BpfProgram program) {
        ProgramSpec spec = program.spec();
        if (spec.type() != ProgramType.KPROBE || spec.expectedAttachType() != method.attachType()) {
            throw new IllegalArgumentException(program + " was loaded as " + spec.type() + " for "
                    + spec.expectedAttachType() + ": to be attached by " + method + " it must be loaded as "
                    + ProgramType.KPROBE + " for " + method.attachType());
        }
    }
}
