package dev.probestream.bpf.kernel;

import java.util.List;

/** Attaches programs to instructions of executable files. */
public final class Uprobes {
    /** Stands for every process that runs the file, now or later. */
    public static final int EVERY_PROCESS = -1;

    private Uprobes() {}

    /**
     * Attaches one program to many sites. What concerns one site or one file (an instruction the kernel cannot probe,
     * a missing file) refuses that site and leaves the others attached; what concerns all throws, with nothing left
     * attached.
     *
     * @param means the program must have been loaded with its {@link UprobeAttachMethod#attachType}
     * @param sites with cookies only where {@link UprobeAttachMethod#hasCookies}
     * @param isReturn run when the function that begins at the site returns, instead of at the site
     * @param pid process whose threads hit the probe, or {@link #EVERY_PROCESS}
     * @throws dev.probestream.bpf.sys.SyscallException EPERM without privileges, ESRCH without such a process
     * @throws UnsupportedFeatureException when the kernel has no uprobes at all
     */
    public static UprobeAttachment attach(
            UprobeAttachMethod means, BpfProgram program, List<AttachPoint> sites, boolean isReturn, int pid) {
        checkProgram(means, program);
        if (!means.hasCookies() && sites.stream().anyMatch(site -> site.cookie() != 0)) {
            throw new IllegalArgumentException(
                    means + " hands no cookie to " + program + ": load a program of its own for each site");
        }
        return switch (means) {
            case MULTI -> new MultiUprobes(program, isReturn, pid).attach(sites);
            case PERF_LINK, PERF_IOCTL -> new PerfUprobes(means, program, isReturn, pid).attach(sites);
        };
    }

    private static void checkProgram(UprobeAttachMethod means, BpfProgram program) {
        ProgramSpec spec = program.spec();
        if (spec.type() != ProgramType.KPROBE || spec.expectedAttachType() != means.attachType()) {
            throw new IllegalArgumentException(program + " was loaded as " + spec.type() + " for "
                    + spec.expectedAttachType() + ": to be attached by " + means + " it must be loaded as "
                    + ProgramType.KPROBE + " for " + means.attachType());
        }
    }
}
