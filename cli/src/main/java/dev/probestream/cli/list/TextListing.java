package dev.probestream.cli.list;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.collector.catalog.CatalogFile;
import dev.probestream.collector.catalog.CatalogReader;
import dev.probestream.collector.catalog.ProbeSpelling;
import dev.probestream.collector.catalog.UsdtProbe;
import dev.probestream.collector.probe.provider.KnownArgument;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.BooleanSupplier;

/** One line per probe, which a probe spec can begin with; in detail, what there is to know of it in indented lines. */
final class TextListing implements CatalogReader {
    private final PrintWriter out;
    private final boolean isDetailed;

    /** The writer stays the caller's. */
    public TextListing(PrintWriter out, boolean isDetailed) {
        this.out = out;
        this.isDetailed = isDetailed;
    }

    @Override
    public void file(CatalogFile file) {
        // Every line names its file.
    }

    @Override
    public void usdtProbe(UsdtProbe probe) {
        out.println(ProbeSpelling.usdt(probe));
        if (isDetailed) {
            for (UsdtNote site : probe.sites()) {
                printSite(site, probe.known());
            }
        }
    }

    @Override
    public void function(CatalogFile file, ElfSymbol function, long fileOffset, BooleanSupplier isSingleStepped) {
        String spelling = ProbeSpelling.function(file, function);
        if (!isDetailed) {
            out.println(spelling);
            return;
        }
        boolean isMangled = !function.qualifiedName().equals(function.name());
        out.println(spelling + "  " + hex(function.virtualAddress()) + ", offset " + hex(fileOffset) + ", "
                + bytes(function.sizeBytes()) + (function.isLocal() ? ", local" : "")
                + (function.isIndirect() ? ", indirect" : "")
                + (isSingleStepped.getAsBoolean() ? ", single-stepped: about 10 µs a hit" : "")
                + (isMangled ? ", " + function.name() : ""));
    }

    @Override
    public void functionCount(CatalogFile file, int count) {
        // The summary has their sum.
    }

    @Override
    public void tracepoint(String category, TracepointFormat format) {
        out.println(ProbeSpelling.tracepoint(category, format.name()));
        if (isDetailed) {
            for (TracepointField field : format.fields()) {
                out.println("    " + field.name() + ": " + type(field) + ", " + bytes(field.sizeBytes())
                        + (field.isSigned() ? ", signed" : ""));
            }
        }
    }

    @Override
    public void rawTracepoint(String name) {
        out.println(ProbeSpelling.rawTracepoint(name));
    }

    @Override
    public void kernelFunction(String name) {
        out.println(ProbeSpelling.kernelFunction(name));
    }

    @Override
    public void kernelFunctionCount(int count, String source) {
        // The summary has it.
    }

    @Override
    public void warning(String text) {
        // The counting listing prints it.
    }

    private void printSite(UsdtNote site, List<KnownArgument> known) {
        out.println("  " + hex(site.virtualAddress()) + ", offset " + hex(site.fileOffset()) + ", base "
                + hex(site.baseVirtualAddress()) + ", "
                + (site.semaphoreVirtualAddress() == 0
                        ? "no semaphore"
                        : "semaphore " + hex(site.semaphoreVirtualAddress()) + ", offset "
                                + hex(site.semaphoreFileOffset()))
                + (site.argumentText().isEmpty() ? ", no arguments" : ", arguments " + site.argumentText()));
        for (int i = 0; i < site.arguments().size(); i++) {
            UsdtArgument argument = site.arguments().get(i);
            out.println("    " + (i + 1) + ": " + OperandText.of(argument)
                    + (i < known.size() ? "; " + known(known.get(i)) : ""));
        }
    }

    private static String type(TracepointField field) {
        return switch (field.kind()) {
            case CHARS -> field.declaredType() + "[" + field.sizeBytes() + "]";
            case NUMBERS -> field.declaredType() + "[" + field.elementCount() + "]";
            case NUMBER, POINTER, TEXT_AT_OFFSET, TEXT_BEHIND_FIELD, OTHER -> field.declaredType();
        };
    }

    private static String bytes(long count) {
        return count + (count == 1 ? " byte" : " bytes");
    }

    private static String known(KnownArgument argument) {
        return '"' + argument.name() + '"' + (argument.type().isEmpty() ? "" : " " + argument.type());
    }

    private static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }
}
