package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.btf.BtfFile;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The types of the running kernel for the start of a capture, which needs them several times: reading them takes 30 ms. They take
 * 6 MB, so who starts a capture hands them on, and nobody keeps them. For one thread.
 */
public final class KernelTypes {
    private @Nullable BtfFile types;

    /** Reads them when they are first needed. */
    BtfFile read() throws IOException {
        BtfFile known = types;
        if (known == null) {
            known = BtfFile.ofKernel();
            types = known;
        }
        return known;
    }
}
