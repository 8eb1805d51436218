package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.proc.ProcessMaps;

/** The addresses of a stack, with the maps of its process at that time and the names of its JavaScript frames. */
final class RawStack {
    private final long stackId;
    private final long[] kernel;
    private final long[] user;
    private final ProcessView process;
    private final ProcessMaps maps;
    private final ProcessMaps logged;
    private final NamedJavaScript javaScript;

    /**
     * @param kernel the kernel's addresses, leaf first; ownership passes to this object
     * @param user the program's addresses, likewise
     * @param process the process that the user addresses belong to
     * @param logged the code that it had mapped at that time, as far as the kernel recorded it
     * @param javaScript the frames that were named when the stack came
     */
    RawStack(
            long stackId,
            long[] kernel,
            long[] user,
            ProcessView process,
            ProcessMaps logged,
            NamedJavaScript javaScript) {
        this.stackId = stackId;
        this.kernel = kernel;
        this.user = user;
        this.process = process;
        this.maps = process.maps();
        this.logged = logged;
        this.javaScript = javaScript;
    }

    long stackId() {
        return stackId;
    }

    /** The kernel's addresses, leaf first; borrowed. */
    long[] kernel() {
        return kernel;
    }

    /** The program's addresses, leaf first; borrowed. All but the first are return addresses, as of the kernel's. */
    long[] user() {
        return user;
    }

    NamedJavaScript javaScript() {
        return javaScript;
    }

    ProcessView process() {
        return process;
    }

    /** The maps of the process as read before the stack or when it came; they may be those of another program that it executed since. */
    ProcessMaps maps() {
        return maps;
    }

    /** The code that the process had mapped at the time of the stack, as far as the kernel recorded it. */
    ProcessMaps logged() {
        return logged;
    }
}
