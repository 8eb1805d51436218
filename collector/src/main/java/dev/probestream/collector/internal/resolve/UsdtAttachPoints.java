package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.Glob;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.bpf.usdt.UsdtOperand;
import dev.probestream.collector.internal.process.ProbedFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The USDT probes of one file by their names, each with all its attach points. Symbols are looked up only when
 * a requested probe has an argument relative to one.
 */
final class UsdtAttachPoints {
    private final ElfFile elf;
    /** By {@code PROVIDER:NAME}, each in the order of the file. */
    private final Map<String, List<UsdtNote>> notes = new TreeMap<>();

    private final Map<UsdtNote, List<UsdtArgument>> arguments = new HashMap<>();

    /** @param elf borrowed as long as this is used */
    UsdtAttachPoints(ElfFile elf, List<UsdtNote> notes) {
        this.elf = elf;
        notes.forEach(note -> this.notes
                .computeIfAbsent(note.qualifiedName(), name -> new ArrayList<>())
                .add(note));
    }

    /** All names, in alphabetical order. */
    List<String> names() {
        return List.copyOf(notes.keySet());
    }

    /** The names that {@code PROVIDER:NAME} means, of which each may be a glob. */
    List<String> named(String qualifiedName, boolean isGlob) {
        if (!isGlob) {
            return notes.containsKey(qualifiedName) ? List.of(qualifiedName) : List.of();
        }
        int colon = qualifiedName.indexOf(':');
        Glob provider = new Glob(qualifiedName.substring(0, Math.max(colon, 0)));
        Glob name = new Glob(qualifiedName.substring(colon + 1));
        return notes.entrySet().stream()
                .filter(probe -> provider.matches(probe.getValue().get(0).provider())
                        && name.matches(probe.getValue().get(0).name()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The attach points of a probe, each instruction once, in the file as it can be opened now. */
    List<UprobeLocation> locations(String qualifiedName, ProbedFile file) throws IOException {
        List<UprobeLocation> found = new ArrayList<>();
        for (UsdtNote note : notes.getOrDefault(qualifiedName, List.of())) {
            if (found.stream().noneMatch(other -> other.fileOffset() == note.fileOffset())) {
                found.add(new UprobeLocation(
                        Uprobes.EVERY_PROCESS,
                        qualifiedName,
                        file.file(),
                        file.id(),
                        note.fileOffset(),
                        note.semaphoreFileOffset(),
                        arguments(note)));
            }
        }
        return found;
    }

    private List<UsdtArgument> arguments(UsdtNote note) throws IOException {
        List<UsdtArgument> known = arguments.get(note);
        if (known == null) {
            known = new ArrayList<>();
            for (UsdtArgument argument : note.arguments()) {
                known.add(withoutSymbol(argument, note));
            }
            arguments.put(note, known);
        }
        return known;
    }

    /** A symbol moves with the code: its distance from the attach point is the same in the file and in the process. */
    private UsdtArgument withoutSymbol(UsdtArgument argument, UsdtNote note) throws IOException {
        UsdtOperand operand = argument.operand();
        if (operand.kind() != UsdtOperand.Kind.SYMBOL) {
            return argument;
        }
        OptionalLong symbol = elf.symbolAddress(operand.symbol());
        UsdtOperand found = symbol.isPresent()
                ? UsdtOperand.fromInstruction(symbol.getAsLong() + operand.value() - note.virtualAddress())
                : UsdtOperand.unreadable("the file has no symbol " + operand.symbol() + " or several"
                        + (elf.isStripped() ? " (it was stripped of its names)" : ""));
        return new UsdtArgument(argument.text(), argument.sizeBytes(), argument.isSigned(), argument.isFloat(), found);
    }
}
