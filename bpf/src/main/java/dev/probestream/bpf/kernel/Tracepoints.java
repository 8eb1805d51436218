package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.syscall.PerfEvents;

/** Attaches programs to the kernel's tracepoints by perf event. */
public final class Tracepoints {
    private Tracepoints() {}

    /**
     * Attaches a program of type {@link ProgramType#TRACEPOINT}. It runs for every process on every CPU: a program that
     * is interested in one process checks the pid itself.
     *
     * @param program a loaded program; it stays the caller's
     * @param tracepointId the number in the file {@code id} of the event's folder in tracefs
     * @return the attachment; closing it detaches the program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, such as EACCES when the program reads
     *     past the end of the event's record
     */
    public static Link attach(BpfProgram program, int tracepointId) {
        // Links to perf events and cookies came with the same release, 5.15.
        return attach(program, tracepointId, KernelFeature.BPF_COOKIE.probe().isSupported());
    }

    static Link attach(BpfProgram program, int tracepointId, boolean byLink) {
        return program.attachTo(PerfEvents.openTracepoint(tracepointId), 0, byLink);
    }
}
