package dev.probestream.collector.catalog;

import dev.probestream.collector.probe.KnownProviders;
import dev.probestream.collector.process.ResolveException;
import java.io.IOException;
import java.nio.file.Path;

/** All probes that one thing offers. */
public interface ProbeCatalog {
    /** Those of an executable or shared object, of whatever processor; nothing needs to run it. */
    static ProbeCatalog ofFile(Path file) {
        return new FileCatalog(file, KnownProviders.load());
    }

    /** Those of every file a process may run code of: its executable, libraries, deleted files, memfds. */
    static ProbeCatalog ofProcess(int pid) {
        return new ProcessCatalog(pid, KnownProviders.load());
    }

    /** Tracepoints, raw tracepoints and functions of the running kernel. */
    static ProbeCatalog ofKernel() {
        return new KernelCatalog();
    }

    /**
     * Gives what is wanted to the reader, USDT probes and tracepoints before functions.
     *
     * @throws ResolveException the process or tracefs is not there, or may not be looked at
     * @throws IOException a file cannot be read or is not what it should be; or the reader threw it
     */
    void read(Selection wanted, CatalogReader reader) throws IOException, ResolveException;
}
