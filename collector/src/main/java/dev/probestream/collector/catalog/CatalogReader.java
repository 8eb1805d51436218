package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointFormat;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Receives the probes that a {@link ProbeCatalog} finds, one by one, because a process may have hundreds of thousands
 * of functions.
 */
public interface CatalogReader {
    /**
     * A file to be read. Called once per file, before its probes.
     *
     * @param file the file
     * @throws IOException if the reader cannot pass it on
     */
    void file(CatalogFile file) throws IOException;

    /**
     * A USDT probe with all its attach points in one file.
     *
     * @param probe the probe
     * @throws IOException if the reader cannot pass it on
     */
    void usdtProbe(UsdtProbe probe) throws IOException;

    /**
     * A function; called only if {@link Selection#showsFunctions}.
     *
     * @param file the file
     * @param function its symbol, with the name and the virtual address
     * @param fileOffset the offset of its code in the file in bytes, which is what a uprobe takes
     * @param isSingleStepped whether the kernel single-steps the instruction that a probe of the function sits on, at some
     *     10 us a hit instead of 0.6; reads the file
     * @throws IOException if the reader cannot pass it on
     */
    void function(CatalogFile file, ElfSymbol function, long fileOffset, BooleanSupplier isSingleStepped)
            throws IOException;

    /**
     * The number of matching functions of a file, shown or not.
     *
     * @param file the file
     * @param count how many
     * @throws IOException if the reader cannot pass it on
     */
    void functionCount(CatalogFile file, int count) throws IOException;

    /**
     * A tracepoint with its fields.
     *
     * @param category the folder in tracefs
     * @param format its name and its fields
     * @throws IOException if the reader cannot pass it on
     */
    void tracepoint(String category, TracepointFormat format) throws IOException;

    /**
     * A raw tracepoint.
     *
     * @param name the event
     * @throws IOException if the reader cannot pass it on
     */
    void rawTracepoint(String name) throws IOException;

    /**
     * A function of the kernel; called only if {@link Selection#showsFunctions}.
     *
     * @param name as in /proc/kallsyms
     * @throws IOException if the reader cannot pass it on
     */
    void kernelFunction(String name) throws IOException;

    /**
     * The number of matching functions of the kernel, shown or not.
     *
     * @param count how many
     * @param source the source of their names, for the user
     * @throws IOException if the reader cannot pass it on
     */
    void kernelFunctionCount(int count, String source) throws IOException;

    /**
     * A warning for the user, for example about a file that cannot be read or is stripped.
     *
     * @param text a sentence
     */
    void warning(String text);
}
