package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.bpf.usdt.UsdtNotes;
import dev.probestream.collector.internal.resolve.code.EntryPoint;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The probes of one open ELF file. */
final class FileProbes {
    /** A probe at the entry of a function, as {@code list} spells it. */
    private static final ProbeSpec ENTRY = SpecParser.parse("uprobe:f");

    private final CatalogFile file;
    private final ElfFile elf;
    private final Selection wanted;
    private final CatalogReader reader;

    FileProbes(CatalogFile file, ElfFile elf, Selection wanted, CatalogReader reader) {
        this.file = file;
        this.elf = elf;
        this.wanted = wanted;
        this.reader = reader;
    }

    void readUsdt(KnownProviders known) throws IOException {
        Map<String, List<UsdtNote>> byName = new LinkedHashMap<>();
        for (UsdtNote note : UsdtNotes.read(elf)) {
            byName.computeIfAbsent(note.qualifiedName(), name -> new ArrayList<>())
                    .add(note);
        }
        for (Map.Entry<String, List<UsdtNote>> attachPoints : byName.entrySet()) {
            UsdtNote first = attachPoints.getValue().get(0);
            if (wanted.takes(
                    first.name(), attachPoints.getKey(), ProbeSpelling.usdt(file, first.provider(), first.name()))) {
                reader.usdtProbe(new UsdtProbe(
                        file,
                        first.provider(),
                        first.name(),
                        attachPoints.getValue(),
                        known.arguments(first.provider(), first.name()).orElse(List.of())));
            }
        }
    }

    void readFunctions() throws IOException {
        if (wanted.takesAll() && !wanted.showsFunctions()) {
            reader.functionCount(file, elf.functionCount());
            return;
        }
        int count = 0;
        for (ElfSymbol function : elf.allFunctions()) {
            if (wanted.takes(file, function)) {
                count++;
                reader.function(file, function, elf.fileOffset(function), () -> isSingleStepped(function));
            }
        }
        reader.functionCount(file, count);
    }

    private boolean isSingleStepped(ElfSymbol function) {
        try {
            return new EntryPoint(ENTRY, elf, "look at " + file.shownPath()).isSingleStepped(function);
        } catch (IOException | ResolveException e) {
            return false; // the error of the probe itself gives the reason
        }
    }
}
