package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.machine.CxxSignature;
import dev.probestream.collector.probe.ProbeSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the functions a spec means in one ELF file, under the names they are shown by. */
final class FunctionFinder {
    private static final CxxDemangler DEMANGLER = CxxDemangler.ofThisMachine();

    private FunctionFinder() {}

    /**
     * A name, and the functions that have it. Without a glob that is the exact name as the file has it, else the name
     * of C++ functions, with or without namespaces, template arguments and parameters. Overloads and instances of a
     * template that the name leaves open have a name each, with their parameters. Of the functions with a global or
     * weak symbol and those local to their source files, the former win. Of several names for one address, the first
     * stays.
     */
    static Map<String, List<ElfSymbol>> find(ElfFile elf, String function, boolean isGlob) throws IOException {
        return isGlob ? matching(elf, function) : named(elf, function);
    }

    /** The same; the functions of a preset that gives its probe a name are one probe. */
    static Map<String, List<ElfSymbol>> find(ElfFile elf, ProbeSpec spec) throws IOException {
        Map<String, List<ElfSymbol>> found = find(elf, spec.function(), spec.isGlob());
        if (spec.isGlob() || found.size() < 2 || spec.preset().name().isEmpty()) {
            return found;
        }
        return Map.of(
                spec.function(), found.values().stream().flatMap(List::stream).toList());
    }

    /** The signatures of the C++ functions of this name, whatever parameters are written with it. */
    static List<String> overloads(ElfFile elf, String function) throws IOException {
        return elf.cxxFunctions(new CxxSignature(function).qualifiedName()).stream()
                .map(symbol -> DEMANGLER.signature(symbol.name()))
                .distinct()
                .toList();
    }

    private static Map<String, List<ElfSymbol>> named(ElfFile elf, String function) throws IOException {
        List<ElfSymbol> found = elf.functionsNamed(function);
        boolean isCxx = found.isEmpty();
        if (isCxx) {
            found = CxxSignature.isOne(function) ? ofSignature(elf, function) : elf.cxxFunctions(function);
        }
        if (found.stream().anyMatch(symbol -> !symbol.isLocal())) {
            found = found.stream().filter(symbol -> !symbol.isLocal()).toList();
        }
        if (found.isEmpty()) {
            return Map.of();
        }
        return isCxx ? apart(function, withoutAliases(found)) : Map.of(function, withoutAliases(found));
    }

    private static List<ElfSymbol> ofSignature(ElfFile elf, String function) throws IOException {
        CxxSignature wanted = new CxxSignature(function);
        return elf.cxxFunctions(wanted.qualifiedName()).stream()
                .filter(symbol -> wanted.matches(new CxxSignature(DEMANGLER.signature(symbol.name()))))
                .toList();
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
        Map<String, List<ElfSymbol>> bySignature = new LinkedHashMap<>();
        byName.forEach((name, symbols) -> bySignature.putAll(apart(name, symbols)));
        return bySignature;
    }

    /** One name for one function; the signatures where there are several. A constructor's variants have one signature. */
    private static Map<String, List<ElfSymbol>> apart(String name, List<ElfSymbol> symbols) {
        if (symbols.size() == 1) {
            return Map.of(name, symbols);
        }
        Map<String, List<ElfSymbol>> bySignature = new LinkedHashMap<>();
        for (ElfSymbol symbol : symbols) {
            bySignature
                    .computeIfAbsent(DEMANGLER.signature(symbol.name()), unused -> new ArrayList<>())
                    .add(symbol);
        }
        return bySignature.size() == 1 ? Map.of(name, symbols) : bySignature;
    }

    private static List<ElfSymbol> withoutAliases(List<ElfSymbol> symbols) {
        Map<Long, ElfSymbol> byAddress = new LinkedHashMap<>();
        symbols.forEach(symbol -> byAddress.putIfAbsent(symbol.virtualAddress(), symbol));
        return List.copyOf(byAddress.values());
    }
}
