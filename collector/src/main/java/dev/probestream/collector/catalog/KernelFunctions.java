package dev.probestream.collector.catalog;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.tracefs.Tracefs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The names of the kernel's functions from the best readable source: ftrace's list of traceable functions; else the
 * kernel's BTF; else the symbol table, which lacks inlined functions and contains functions that cannot be probed.
 *
 * @param names sorted and unique
 * @param source description of the source, for the user
 */
record KernelFunctions(Collection<String> names, String source) {
    private static final Path KALLSYMS = Path.of("/proc/kallsyms");

    static KernelFunctions read(Tracefs tracefs) throws IOException {
        Path traceable = tracefs.availableFunctions();
        try {
            return new KernelFunctions(firstWords(Files.readAllLines(traceable)), traceable.toString());
        } catch (IOException e) {
            // Not available in lockdown mode and without function tracing.
            return ofTypes();
        }
    }

    private static KernelFunctions ofTypes() throws IOException {
        try {
            BtfFile btf = BtfFile.ofKernel();
            TreeSet<String> names = new TreeSet<>();
            for (int id = 1; id <= btf.typeCount(); id++) {
                if (btf.kind(id) == BtfKind.FUNCTION) {
                    names.add(btf.name(id));
                }
            }
            return new KernelFunctions(names, "the kernel's types (/sys/kernel/btf/vmlinux)");
        } catch (IOException e) {
            return new KernelFunctions(ofSymbols(Files.readAllLines(KALLSYMS)), KALLSYMS.toString());
        }
    }

    /** {@code vfs_open} or {@code ext4_sync_fs [ext4]}. */
    private static TreeSet<String> firstWords(List<String> lines) {
        TreeSet<String> names = new TreeSet<>();
        lines.forEach(line -> names.add(line.split("\\s", 2)[0]));
        return names;
    }

    /** {@code ffffffff81000000 T vfs_open [MODULE]}; t, T, w and W are code. */
    private static TreeSet<String> ofSymbols(List<String> lines) {
        TreeSet<String> names = new TreeSet<>();
        for (String line : lines) {
            String[] fields = line.split("\\s+");
            if (fields.length > 2 && fields[1].matches("[tTwW]")) {
                names.add(fields[2]);
            }
        }
        return names;
    }
}
