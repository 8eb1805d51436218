package dev.probestream.bpf.elf;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The symbols in the debug file of a stripped file. The debug file is searched for once, when something is first looked
 * up here. Only its .symtab is used: the code, and with it every file offset, is that of the stripped file.
 */
final class SeparateSymbols implements AutoCloseable {
    private final ElfFile stripped;
    private final LoadedCode code;
    private final DebugFileSearch search;
    private boolean isSearched;
    private @Nullable ElfFile debugFile;
    private @Nullable FunctionNames names;
    private @Nullable FunctionAddresses addresses;

    SeparateSymbols(ElfFile stripped, LoadedCode code, DebugFileSearch search) {
        this.stripped = stripped;
        this.code = code;
        this.search = search;
    }

    boolean exist() throws IOException {
        return debugFile().isPresent();
    }

    Optional<FunctionNames> names() throws IOException {
        if (names == null && exist()) {
            names = new FunctionNames(table(), code);
        }
        return Optional.ofNullable(names);
    }

    Optional<ElfSymbol> covering(long virtualAddress) throws IOException {
        if (addresses == null && exist()) {
            addresses = new FunctionAddresses(table(), code);
        }
        return addresses == null ? Optional.empty() : addresses.covering(virtualAddress);
    }

    OptionalLong addressOf(String name) throws IOException {
        return exist() ? table().addressOf(name) : OptionalLong.empty();
    }

    void addVariables(List<byte[]> prefixes, Map<String, Long> addresses) throws IOException {
        if (exist()) {
            table().addVariables(prefixes, addresses);
        }
    }

    OptionalLong threadLocalOffset(String name) throws IOException {
        return exist() ? table().threadLocalOffset(name) : OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        names = null;
        addresses = null;
        ElfFile open = debugFile;
        debugFile = null;
        isSearched = true; // a closed file is not opened again
        if (open != null) {
            open.close();
        }
    }

    private SymbolTable table() throws IOException {
        return debugFile().orElseThrow().table(ElfHeaders.Section.SHT_SYMTAB);
    }

    private Optional<ElfFile> debugFile() throws IOException {
        if (!isSearched) {
            isSearched = true; // also if the search fails: it is not repeated
            debugFile = search.find(stripped).orElse(null);
        }
        return Optional.ofNullable(debugFile);
    }
}
