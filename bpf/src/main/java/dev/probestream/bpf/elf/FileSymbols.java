package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The functions and variables of a file, by their symbols: those of .symtab, else those of .dynsym and of the debug file.
 * A table is read with the first question that needs it and kept until {@link #close}. The methods are those of {@link
 * ElfFile}.
 */
final class FileSymbols implements AutoCloseable {
    private final ElfBytes bytes;
    private final ElfHeaders headers;
    private final LoadedCode code;
    private final SeparateSymbols separate;
    /** By section type. */
    private final Map<Integer, SymbolTable> tables = new HashMap<>();

    private final Map<Integer, FunctionNames> names = new HashMap<>();
    private @Nullable FunctionAddresses addresses;

    FileSymbols(ElfBytes bytes, ElfHeaders headers, LoadedCode code, SeparateSymbols separate) {
        this.bytes = bytes;
        this.headers = headers;
        this.code = code;
        this.separate = separate;
    }

    /** Whether only the functions of .dynsym have names: .symtab was stripped off, and there is no debug file. */
    boolean areStripped() throws IOException {
        return lacksSymtab() && !separate.exist();
    }

    private boolean lacksSymtab() {
        return headers.sections().stream().noneMatch(section -> section.type() == ElfHeaders.Section.SHT_SYMTAB);
    }

    /** How many functions have names. */
    int count() throws IOException {
        return lacksSymtab() ? unstripped(FunctionNames::all).size() : symtab().count();
    }

    /** All functions, in the order of the tables. */
    Iterable<ElfSymbol> all() throws IOException {
        // Of a table as large as Node's .symtab, each is made when the iteration reaches it.
        return lacksSymtab() ? unstripped(FunctionNames::all) : symtab().all();
    }

    /** The functions of exactly this name, global ones first. */
    List<ElfSymbol> named(String exactName) throws IOException {
        List<ElfSymbol> found = symtab().named(exactName);
        if (found.isEmpty()) {
            found = dynsym().named(exactName);
        }
        Optional<FunctionNames> more = found.isEmpty() ? separateNames() : Optional.empty();
        return more.isPresent() ? more.get().named(exactName) : found;
    }

    List<ElfSymbol> matching(FunctionNames.Matcher matcher) throws IOException {
        List<ElfSymbol> found = symtab().matching(matcher);
        return found.isEmpty() ? unstripped(functions -> functions.matching(matcher)) : found;
    }

    /** The virtual address of the function or variable of this name, if there is one. */
    OptionalLong addressOf(String exactName) throws IOException {
        OptionalLong address = table(ElfHeaders.Section.SHT_SYMTAB).addressOf(exactName);
        if (address.isEmpty()) {
            address = table(ElfHeaders.Section.SHT_DYNSYM).addressOf(exactName);
        }
        return address.isEmpty() && lacksSymtab() ? separate.addressOf(exactName) : address;
    }

    /** The virtual addresses of the variables whose names begin so, by name. */
    Map<String, Long> variableAddresses(String... prefixes) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        List<byte[]> wanted =
                Stream.of(prefixes).map(prefix -> prefix.getBytes(UTF_8)).toList();
        table(ElfHeaders.Section.SHT_SYMTAB).addVariables(wanted, found);
        table(ElfHeaders.Section.SHT_DYNSYM).addVariables(wanted, found);
        if (lacksSymtab()) {
            separate.addVariables(wanted, found);
        }
        return found;
    }

    /** The offset of a thread-local variable in the segment of them. */
    OptionalLong threadLocalOffset(String exactName) throws IOException {
        OptionalLong offset = table(ElfHeaders.Section.SHT_SYMTAB).threadLocalOffset(exactName);
        return offset.isEmpty() && lacksSymtab() ? separate.threadLocalOffset(exactName) : offset;
    }

    /** The function whose code is at this address. */
    Optional<ElfSymbol> covering(long virtualAddress) throws IOException {
        Optional<ElfSymbol> own = addresses().covering(virtualAddress);
        boolean isCertain = !lacksSymtab() || (own.isPresent() && own.get().sizeBytes() > 0);
        Optional<ElfSymbol> better = isCertain ? own : separate.covering(virtualAddress);
        return better.or(() -> own);
    }

    /** Reads and sorts the symbols of the file itself, as the first {@link #covering} does. */
    void sort() throws IOException {
        addresses();
    }

    /** Forgets the tables and closes the debug file. */
    @Override
    public void close() throws IOException {
        tables.clear();
        names.clear();
        addresses = null;
        separate.close();
    }

    private FunctionNames symtab() throws IOException {
        return namesOf(ElfHeaders.Section.SHT_SYMTAB);
    }

    private FunctionNames dynsym() throws IOException {
        return namesOf(ElfHeaders.Section.SHT_DYNSYM);
    }

    /** The functions of the debug file; empty if there is none or the file has its own .symtab. */
    private Optional<FunctionNames> separateNames() throws IOException {
        return lacksSymtab() ? separate.names() : Optional.empty();
    }

    /** Those of .dynsym, then those of the debug file that .dynsym does not have. */
    private List<ElfSymbol> unstripped(Function<FunctionNames, Iterable<ElfSymbol>> selection) throws IOException {
        List<ElfSymbol> found = new ArrayList<>();
        Set<NamedAddress> known = new HashSet<>();
        for (ElfSymbol symbol : selection.apply(dynsym())) {
            known.add(new NamedAddress(symbol.virtualAddress(), symbol.name()));
            found.add(symbol);
        }
        Optional<FunctionNames> more = separateNames();
        if (more.isPresent()) {
            for (ElfSymbol symbol : selection.apply(more.get())) {
                if (!known.contains(new NamedAddress(symbol.virtualAddress(), symbol.name()))) {
                    found.add(symbol);
                }
            }
        }
        return found;
    }

    private record NamedAddress(long virtualAddress, String name) {}

    /** The functions of .symtab or of .dynsym, read when they are first needed. */
    private FunctionNames namesOf(int sectionType) throws IOException {
        FunctionNames known = names.get(sectionType);
        if (known == null) {
            known = new FunctionNames(table(sectionType), code);
            names.put(sectionType, known);
        }
        return known;
    }

    private FunctionAddresses addresses() throws IOException {
        if (addresses == null) {
            addresses = new FunctionAddresses(
                    table(lacksSymtab() ? ElfHeaders.Section.SHT_DYNSYM : ElfHeaders.Section.SHT_SYMTAB), code);
        }
        return addresses;
    }

    SymbolTable table(int sectionType) throws IOException {
        SymbolTable known = tables.get(sectionType);
        if (known == null) {
            known = SymbolTable.read(bytes, headers, sectionType);
            tables.put(sectionType, known);
        }
        return known;
    }
}
