package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointFormat;
import java.io.IOException;

/** Takes what a {@link ProbeCatalog} finds, one by one: a process may have hundreds of thousands of functions. */
public interface CatalogReader {
    /** A file that is looked at; comes before anything else of it, and once. */
    void file(CatalogFile file) throws IOException;

    /** A USDT probe with all its sites in one file. */
    void usdtProbe(UsdtProbe probe) throws IOException;

    /** A function; only where {@link Selection#showsFunctions}. */
    void function(CatalogFile file, ElfSymbol function, long fileOffset) throws IOException;

    /** How many functions of a file match, whether they were shown or not. */
    void functionCount(CatalogFile file, int count) throws IOException;

    /** A tracepoint with its fields. */
    void tracepoint(String category, TracepointFormat format) throws IOException;

    /** A tracepoint that can be had with its raw arguments. */
    void rawTracepoint(String name) throws IOException;

    /** A function of the kernel; only where {@link Selection#showsFunctions}. */
    void kernelFunction(String name) throws IOException;

    /**
     * How many functions of the kernel match, whether they were shown or not.
     *
     * @param source where their names come from, in words
     */
    void kernelFunctionCount(int count, String source) throws IOException;

    /** Something a person should know: what could not be read, what a file lacks. */
    void warning(String text) throws IOException;
}
