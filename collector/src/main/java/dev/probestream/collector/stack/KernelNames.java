package dev.probestream.collector.stack;

import dev.probestream.collector.event.Warnings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Names code of the kernel and its modules from /proc/kallsyms, which is read when the first name is asked for: lines
 * {@code ADDRESS TYPE NAME [MODULE]}, of which types t, T, w and W are code. To those without CAP_SYSLOG the kernel
 * shows zeros for addresses (kernel.kptr_restrict).
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

    /** The function an address lies in, or "". */
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
                warnings.add("kernel stack frames keep no names: " + kallsyms + " shows no addresses to us"
                        + " (needs CAP_SYSLOG, or sysctl kernel.kptr_restrict=0)");
            }
        } catch (IOException e) {
            warnings.add("kernel stack frames keep no names: read " + kallsyms + ": " + e.getMessage());
        }
    }
}
