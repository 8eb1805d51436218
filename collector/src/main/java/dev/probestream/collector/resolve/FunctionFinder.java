package dev.probestream.collector.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the functions a spec means in one ELF file, under the names they are shown by. */
final class FunctionFinder {
    private FunctionFinder() {}

    /**
     * A name, and the functions that bear it. Without a glob that is one name at most: the exact name as the file has
     * it, else the name of C++ functions, with or without namespaces. Of the functions with a global or weak symbol
     * and those local to their source files, the former win. Of several names for one address, the first stays.
     */
    static Map<String, List<ElfSymbol>> find(ElfFile elf, String function, boolean isGlob) throws IOException {
        return isGlob ? matching(elf, function) : named(elf, function);
    }

    private static Map<String, List<ElfSymbol>> named(ElfFile elf, String function) throws IOException {
        List<ElfSymbol> found = elf.functionsNamed(function);
        if (found.isEmpty()) {
            found = elf.cxxFunctions(function);
        }
        if (found.stream().anyMatch(symbol -> !symbol.isLocal())) {
            found = found.stream().filter(symbol -> !symbol.isLocal()).toList();
        }
        return found.isEmpty() ? Map.of() : Map.of(function, withoutAliases(found));
    }

    private static Map<String, List<ElfSymbol>> matching(ElfFile elf, String glob) throws IOException {
        List<ElfSymbol> found = glob.contains("::") ? elf.cxxFunctions(glob) : elf.functions(glob);
        Map<String, List<ElfSymbol>> byName = new LinkedHashMap<>();
        for (ElfSymbol symbol : withoutAliases(found)) {
            if (!symbol.isIndirect()) {
                byName.computeIfAbsent(symbol.qualifiedName(), name -> new ArrayList<>())
                        .add(symbol);
            }
        }
        return byName;
    }

    private static List<ElfSymbol> withoutAliases(List<ElfSymbol> symbols) {
        Map<Long, ElfSymbol> byAddress = new LinkedHashMap<>();
        symbols.forEach(symbol -> byAddress.putIfAbsent(symbol.virtualAddress(), symbol));
        return List.copyOf(byAddress.values());
    }
}
