package dev.probestream.bpf.kernel;

import dev.probestream.bpf.sys.Errno;

/** What to say about a refused system call of BPF or perf. */
final class Refusal {
    private Refusal() {}

    /** The remedy for missing privileges, or empty when the errno speaks for itself. */
    static String advice(long result) {
        if (Errno.EPERM.is(result) || Errno.EACCES.is(result)) {
            return "needs root, or CAP_BPF and CAP_PERFMON; in a container also a seccomp profile that allows bpf and"
                    + " perf_event_open; run 'doctor'";
        }
        if (Errno.EMFILE.is(result)) {
            return "too many open files: raise the limit with 'ulimit -n'";
        }
        return "";
    }
}
