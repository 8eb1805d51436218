package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.elf.RelocatableFile;
import dev.probestream.bpf.kernel.ProgramSection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A function of an object: a program, or a subprogram in .text.
 *
 * @param name of the function
 * @param section the number of its section
 * @param start the index of its first instruction in the section
 * @param count how many instructions it has
 * @param program what the section's name says; empty for a subprogram
 * @param isWanted whether it is loaded unless something else is asked for: not with a question mark before the section's name
 */
record ObjectFunction(
        String name, int section, int start, int count, Optional<ProgramSection> program, boolean isWanted) {
    boolean contains(int otherSection, long instruction) {
        return section == otherSection && instruction >= start && instruction < (long) start + count;
    }

    /** All of them, by section and start. */
    static List<ObjectFunction> all(String file, RelocatableFile elf) throws BpfObjectException {
        List<ObjectFunction> functions = new ArrayList<>();
        Set<String> programs = new HashSet<>();
        Set<Long> places = new HashSet<>();
        for (RelocatableFile.Symbol symbol : elf.symbols()) {
            if (symbol.type() == RelocatableFile.Symbol.STT_FUNC
                    && symbol.section() > 0
                    && symbol.section() < elf.sections().size()) {
                ObjectFunction function = of(file, elf, symbol);
                if (!places.add(((long) function.section() << 32) | function.start())) {
                    throw new BpfObjectException(
                            file,
                            elf.sections().get(function.section()).name(),
                            symbol.value(),
                            "two functions begin there; one is " + symbol.name());
                }
                if (function.program().isPresent() && !programs.add(function.name())) {
                    throw new BpfObjectException(
                            file,
                            elf.sections().get(function.section()).name(),
                            symbol.value(),
                            "two programs have the name " + symbol.name());
                }
                functions.add(function);
            }
        }
        functions.sort(Comparator.comparingInt(ObjectFunction::section).thenComparingInt(ObjectFunction::start));
        checkOverlaps(file, elf, functions);
        return List.copyOf(functions);
    }

    private static void checkOverlaps(String file, RelocatableFile elf, List<ObjectFunction> functions)
            throws BpfObjectException {
        for (int i = 1; i < functions.size(); i++) {
            ObjectFunction before = functions.get(i - 1);
            ObjectFunction function = functions.get(i);
            if (before.contains(function.section(), function.start())) {
                throw new BpfObjectException(
                        file,
                        elf.sections().get(function.section()).name(),
                        (long) function.start() * Instruction.SIZE_BYTES,
                        "function " + function.name() + " begins inside of function " + before.name());
            }
        }
    }

    private static ObjectFunction of(String file, RelocatableFile elf, RelocatableFile.Symbol symbol)
            throws BpfObjectException {
        RelocatableFile.Section section = elf.sections().get(symbol.section());
        long size = section.bytes().capacity();
        if (!section.isCode()
                || symbol.value() < 0
                || symbol.sizeBytes() <= 0
                || symbol.value() > size - symbol.sizeBytes()) {
            throw new BpfObjectException(
                    file,
                    section.name(),
                    symbol.value(),
                    "function " + symbol.name() + " is not inside of the section");
        }
        if (symbol.name().isEmpty()) {
            throw new BpfObjectException(file, section.name(), symbol.value(), "a function has no name");
        }
        if (symbol.value() % Instruction.SIZE_BYTES != 0 || symbol.sizeBytes() % Instruction.SIZE_BYTES != 0) {
            throw new BpfObjectException(
                    file,
                    section.name(),
                    symbol.value(),
                    "function " + symbol.name() + " is cut within an instruction");
        }
        Optional<ProgramSection> program = Optional.empty();
        if (!section.name().equals(".text")) {
            if (symbol.binding() == RelocatableFile.Symbol.STB_LOCAL) {
                throw new BpfObjectException(
                        file, section.name(), symbol.value(), "static program " + symbol.name() + " is not supported");
            }
            program = Optional.of(ProgramSection.parse(section.name())
                    .orElseThrow(() -> new BpfObjectException(
                            file,
                            section.name(),
                            symbol.value(),
                            "programs of this kind are not supported (" + symbol.name() + ")")));
        }
        return new ObjectFunction(
                symbol.name(),
                symbol.section(),
                (int) (symbol.value() / Instruction.SIZE_BYTES),
                (int) (symbol.sizeBytes() / Instruction.SIZE_BYTES),
                program,
                !section.name().startsWith("?"));
    }
}
