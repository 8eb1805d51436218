package dev.probestream.collector.catalog;

import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.io.IOException;
import java.nio.file.Path;

/** All probes of a file, a process or the kernel. */
public interface ProbeCatalog {
    /**
     * {@return the probes of an executable or shared object, for any processor; it need not be running}
     *
     * @param file a path that can be opened here
     */
    static ProbeCatalog ofFile(Path file) {
        return new FileCatalog(file, KnownProviders.load());
    }

    /**
     * {@return the probes of every file that a process has mapped as executable: its executable, libraries, deleted
     * files, memfds}
     *
     * @param pid of the process, in the pid namespace of this one
     */
    static ProbeCatalog ofProcess(int pid) {
        return new ProcessCatalog(pid, KnownProviders.load());
    }

    /** {@return tracepoints, raw tracepoints and functions of the running kernel} */
    static ProbeCatalog ofKernel() {
        return new KernelCatalog();
    }

    /**
     * Passes the selected probes to the reader, USDT probes and tracepoints before functions.
     *
     * @param wanted which
     * @param reader called by this thread during this call
     * @throws ResolveException if the process or tracefs does not exist, or access is denied
     * @throws IOException if a file cannot be read or is malformed, or the reader threw it
     */
    void read(Selection wanted, CatalogReader reader) throws IOException, ResolveException;
}
