package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointFormat;
import java.io.IOException;

/**
 * Receives the probes that a {@link ProbeCatalog} finds, one by one, because a process may have hundreds of thousands
 * of functions.
 */
public interface CatalogReader {
    /** A file to be read. Called once per file, before its probes. */
    void file(CatalogFile file) throws IOException;

    /** A USDT probe with all its attach points in one file. */
    void usdtProbe(UsdtProbe probe) throws IOException;

    /** A function; called only if {@link Selection#showsFunctions}. */
    void function(CatalogFile file, ElfSymbol function, long fileOffset) throws IOException;

    /** The number of matching functions of a file, shown or not. */
    void functionCount(CatalogFile file, int count) throws IOException;

    /** A tracepoint with its fields. */
    void tracepoint(String category, TracepointFormat format) throws IOException;

    /** A raw tracepoint. */
    void rawTracepoint(String name) throws IOException;

    /** A function of the kernel; called only if {@link Selection#showsFunctions}. */
    void kernelFunction(String name) throws IOException;

    /**
     * The number of matching functions of the kernel, shown or not.
     *
     * @param source the source of their names, for the user
     */
    void kernelFunctionCount(int count, String source) throws IOException;

    /** A warning for the user, for example about a file that cannot be read or is stripped. */
    void warning(String text);
}
