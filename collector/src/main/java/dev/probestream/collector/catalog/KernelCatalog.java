package dev.probestream.collector.catalog;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.tracefs.Tracefs;
import dev.probestream.bpf.tracefs.TracefsException;
import dev.probestream.collector.internal.resolve.TracefsFailure;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;

/** The probes of the running kernel. */
final class KernelCatalog implements ProbeCatalog {
    /** The kernel's BTF has a typedef with this prefix for every tracepoint. */
    private static final String RAW_PREFIX = "btf_trace_";

    @Override
    public void read(Selection wanted, CatalogReader reader) throws IOException, ResolveException {
        Tracefs tracefs;
        try {
            tracefs = Tracefs.open();
            readTracepoints(tracefs, wanted, reader);
        } catch (TracefsException e) {
            throw TracefsFailure.of(e);
        }
        readRawTracepoints(wanted, reader);
        KernelFunctions functions = KernelFunctions.read(tracefs);
        int count = 0;
        for (String name : functions.names()) {
            if (wanted.takes(name, name, ProbeSpelling.kernelFunction(name))) {
                count++;
                if (wanted.showsFunctions()) {
                    reader.kernelFunction(name);
                }
            }
        }
        reader.kernelFunctionCount(count, functions.source());
    }

    private static void readTracepoints(Tracefs tracefs, Selection wanted, CatalogReader reader)
            throws IOException, TracefsException {
        for (String category : tracefs.categories()) {
            for (String event : tracefs.events(category)) {
                if (wanted.takes(event, category + ":" + event, ProbeSpelling.tracepoint(category, event))) {
                    reader.tracepoint(category, tracefs.format(category, event));
                }
            }
        }
    }

    private static void readRawTracepoints(Selection wanted, CatalogReader reader) throws IOException {
        BtfFile btf;
        try {
            btf = BtfFile.ofKernel();
        } catch (IOException e) {
            reader.warning(
                    "raw tracepoints are not listed: the kernel's types cannot be read (" + e.getMessage() + ")");
            return;
        }
        for (int id = 1; id <= btf.typeCount(); id++) {
            if (btf.kind(id) == BtfKind.TYPEDEF && btf.name(id).startsWith(RAW_PREFIX)) {
                String name = btf.name(id).substring(RAW_PREFIX.length());
                if (wanted.takes(name, name, ProbeSpelling.rawTracepoint(name))) {
                    reader.rawTracepoint(name);
                }
            }
        }
    }
}
