package dev.probestream.cli.list;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.catalog.CatalogFile;
import dev.probestream.collector.catalog.CatalogReader;
import dev.probestream.collector.catalog.UsdtProbe;
import java.io.IOException;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Counts the probes passed to a listing, and reports warnings. */
final class CountedListing implements CatalogReader {
    private final CatalogReader listing;
    private final Consumer<String> warnings;
    private int files;
    private int usdtProbes;
    private int usdtSites;
    private long functions;
    private int tracepoints;
    private int rawTracepoints;
    private int kernelFunctions;
    private String kernelFunctionSource = "";

    /** Passes probes on to {@code listing} and warnings to {@code warnings}. */
    public CountedListing(CatalogReader listing, Consumer<String> warnings) {
        this.listing = listing;
        this.warnings = warnings;
    }

    @Override
    public void file(CatalogFile file) throws IOException {
        files++;
        listing.file(file);
    }

    @Override
    public void usdtProbe(UsdtProbe probe) throws IOException {
        usdtProbes++;
        usdtSites += probe.sites().size();
        listing.usdtProbe(probe);
    }

    @Override
    public void function(CatalogFile file, ElfSymbol function, long fileOffset, BooleanSupplier isSingleStepped)
            throws IOException {
        listing.function(file, function, fileOffset, isSingleStepped);
    }

    @Override
    public void functionCount(CatalogFile file, int count) throws IOException {
        functions += count;
        listing.functionCount(file, count);
    }

    @Override
    public void tracepoint(String category, TracepointFormat format) throws IOException {
        tracepoints++;
        listing.tracepoint(category, format);
    }

    @Override
    public void rawTracepoint(String name) throws IOException {
        rawTracepoints++;
        listing.rawTracepoint(name);
    }

    @Override
    public void kernelFunction(String name) throws IOException {
        listing.kernelFunction(name);
    }

    @Override
    public void kernelFunctionCount(int count, String source) throws IOException {
        kernelFunctions = count;
        kernelFunctionSource = source;
        listing.kernelFunctionCount(count, source);
    }

    @Override
    public void warning(String text) {
        warnings.accept(text);
    }

    /** {@code 75,312 functions, 8 USDT probes at 12 sites in 9 files}, or what the kernel has. */
    public String summary() {
        if (!kernelFunctionSource.isEmpty()) {
            return counted(tracepoints, "tracepoint") + ", " + counted(rawTracepoints, "raw tracepoint") + ", "
                    + counted(kernelFunctions, "function") + " of the kernel by " + kernelFunctionSource;
        }
        String usdt = counted(usdtProbes, "USDT probe") + (usdtProbes == 0 ? "" : " at " + counted(usdtSites, "site"));
        return counted(functions, "function") + ", " + usdt + " in " + counted(files, "file");
    }

    private static String counted(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }
}
