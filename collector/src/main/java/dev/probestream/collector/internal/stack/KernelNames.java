package dev.probestream.collector.internal.stack;

import dev.probestream.collector.internal.event.Warnings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Looks up names of kernel and module code in /proc/kallsyms, which is read at the first lookup. Lines are {@code
 * ADDRESS TYPE NAME [MODULE]}; types t, T, w and W are code. Without CAP_SYSLOG the kernel shows zeros instead of
 * addresses (kernel.kptr_restrict).
 */
final class KernelNames {
    private final Path kallsyms;
    private final Warnings warnings;
    private KernelSymbols symbols = KernelSymbols.EMPTY;
    private boolean isRead;

    KernelNames(Path kallsyms, Warnings warnings) {
        this.kallsyms = kallsyms;
        this.warnings = warnings;
    }

    /** The function that contains the address, or "". */
    String nameOf(long address) {
        if (!isRead) {
            isRead = true;
            read();
        }
        return symbols.nameOf(address);
    }

    private void read() {
        try {
            byte[] text = Files.readAllBytes(kallsyms);
            symbols = KernelSymbols.parse(text);
            if (symbols.count() == 0) {
                warnings.add("kernel stack frames have no names: " + kallsyms + " shows no addresses"
                        + " (needs CAP_SYSLOG, or sysctl kernel.kptr_restrict=0)");
            }
        } catch (IOException e) {
            warnings.add("kernel stack frames have no names: read " + kallsyms + ": " + e.getMessage());
        }
    }
}
