package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Keeps all that a catalog gives, in its order. */
final class FoundProbes implements CatalogReader {
    final List<CatalogFile> files = new ArrayList<>();
    final List<UsdtProbe> usdtProbes = new ArrayList<>();
    final List<String> spellings = new ArrayList<>();
    final Map<String, TracepointFormat> tracepoints = new LinkedHashMap<>();
    final List<String> warnings = new ArrayList<>();
    int functionCount;
    int kernelFunctionCount;

    static FoundProbes of(ProbeCatalog catalog, Selection wanted) throws Exception {
        FoundProbes found = new FoundProbes();
        catalog.read(wanted, found);
        return found;
    }

    @Override
    public void file(CatalogFile file) {
        files.add(file);
    }

    @Override
    public void usdtProbe(UsdtProbe probe) {
        usdtProbes.add(probe);
        spellings.add(ProbeSpelling.usdt(probe));
    }

    @Override
    public void function(CatalogFile file, ElfSymbol function, long fileOffset, BooleanSupplier isSingleStepped) {
        spellings.add(ProbeSpelling.function(file, function));
    }

    @Override
    public void functionCount(CatalogFile file, int count) {
        functionCount += count;
    }

    @Override
    public void tracepoint(String category, TracepointFormat format) {
        tracepoints.put(category + ":" + format.name(), format);
        spellings.add(ProbeSpelling.tracepoint(category, format.name()));
    }

    @Override
    public void rawTracepoint(String name) {
        spellings.add(ProbeSpelling.rawTracepoint(name));
    }

    @Override
    public void kernelFunction(String name) {
        spellings.add(ProbeSpelling.kernelFunction(name));
    }

    @Override
    public void kernelFunctionCount(int count, String source) {
        kernelFunctionCount = count;
    }

    @Override
    public void warning(String text) {
        warnings.add(text);
    }
}
