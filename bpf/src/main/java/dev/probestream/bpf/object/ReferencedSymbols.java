package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.elf.RelocatableFile.Relocation;
import dev.probestream.bpf.elf.RelocatableFile.Section;
import dev.probestream.bpf.elf.RelocatableFile.Symbol;
import dev.probestream.bpf.object.ObjectContents.External;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the relocations of instructions refer to: a map, a variable, a function of the object, or something of the kernel
 * ({@code __ksym}, {@code __kconfig}).
 */
final class ReferencedSymbols {
    /** The first number of a helper that does not exist, as in libbpf (0xbad2310), so that logs look alike. */
    static final int FIRST_POISON = 0xbad2310;

    /** The map with the variables of .kconfig: the kernel's version. */
    static final String KCONFIG = ".kconfig";

    private final ObjectContents object;
    private final KernelFacts kernel;
    private final Map<Long, String> maps = new HashMap<>();
    private final Map<Integer, DataSection> data = new HashMap<>();
    private final Map<String, External> externals = new HashMap<>();
    private boolean usesKernelVersion;

    /**
     * A place in the code of the object.
     *
     * @param instruction its index in the section; not checked
     */
    record Code(int section, long instruction) {}

    ReferencedSymbols(ObjectContents object, KernelFacts kernel) {
        this.object = object;
        this.kernel = kernel;
        object.maps().forEach(map -> maps.put(map.offset(), map.name()));
        object.data().forEach(section -> data.put(section.section(), section));
    }

    boolean usesKernelVersion() {
        return usesKernelVersion;
    }

    String name(Relocation relocation) {
        return object.elf().symbols().get(relocation.symbol()).name();
    }

    /** Resolves a load of 64 bits, unless it is of a function, which is returned. */
    Optional<Code> load(LinkedCode code, int at, Relocation relocation) throws IOException {
        Symbol symbol = object.elf().symbols().get(relocation.symbol());
        if (symbol.isExternal()) {
            external(code, at, relocation, symbol);
            return Optional.empty();
        }
        Section section = section(relocation, symbol);
        long offset = symbol.value() + code.immediate(at);
        DataSection variables = data.get(symbol.section());
        if (section.isCode()) {
            return Optional.of(new Code(symbol.section(), instruction(relocation, offset)));
        }
        if (section.name().equals(MapDefinition.SECTION)) {
            String map = maps.get(offset);
            if (map == null) {
                throw malformed(relocation, "no map begins at byte " + offset + " of .maps");
            }
            code.setMap(at, map, LinkedCode.PSEUDO_MAP_FD, 0);
        } else if (variables != null) {
            if (offset < 0 || offset > variables.initial().capacity()) {
                throw malformed(relocation, "byte " + offset + " is outside of " + section.name());
            }
            code.setMap(at, variables.name(), LinkedCode.PSEUDO_MAP_VALUE, (int) offset);
        } else {
            throw malformed(relocation, "refers to section " + section.name() + ", which is not loaded");
        }
        return Optional.empty();
    }

    /** The function of the object that is called; empty for one of the kernel. */
    Optional<Code> call(int immediate, Relocation relocation) throws IOException {
        Symbol symbol = object.elf().symbols().get(relocation.symbol());
        if (symbol.isExternal()) {
            return Optional.empty();
        }
        section(relocation, symbol);
        return Optional.of(new Code(symbol.section(), instruction(relocation, symbol.value()) + immediate + 1));
    }

    /** The kernel's function of an external symbol; empty for a weak one that the kernel does not have. */
    OptionalInt kernelFunction(Relocation relocation) throws IOException {
        Symbol symbol = object.elf().symbols().get(relocation.symbol());
        OptionalInt id = kernel.typeId(symbol.name(), BtfKind.FUNCTION);
        if (id.isEmpty() && symbol.binding() != Symbol.STB_WEAK) {
            throw malformed(relocation, "this kernel has no function " + symbol.name());
        }
        return id;
    }

    private void external(LinkedCode code, int at, Relocation relocation, Symbol symbol) throws IOException {
        External external = externals.get(symbol.name());
        if (external == null) {
            external = object.external(symbol.name());
            externals.put(symbol.name(), external);
        }
        String section = external.section();
        if (section.equals(KCONFIG)) {
            if (!symbol.name().equals("LINUX_KERNEL_VERSION")) {
                throw malformed(relocation, symbol.name() + " of .kconfig is not supported");
            }
            usesKernelVersion = true;
            code.setMap(at, KCONFIG, LinkedCode.PSEUDO_MAP_VALUE, 0);
            return;
        }
        if (!section.equals(".ksyms")) {
            throw malformed(relocation, "symbol '" + symbol.name() + "' is defined nowhere");
        }
        OptionalInt id = kernel.typeId(symbol.name(), BtfKind.FUNCTION);
        if (id.isEmpty()) {
            id = kernel.typeId(symbol.name(), BtfKind.VARIABLE);
        }
        if (id.isEmpty() && symbol.binding() != Symbol.STB_WEAK) {
            throw malformed(relocation, "the kernel's types have no function or variable " + symbol.name());
        }
        if (id.isEmpty() && !external.isTyped()) {
            throw malformed(
                    relocation, symbol.name() + " has no type: addresses of the kernel's symbols are not supported");
        }
        // A weak one that is not there is 0.
        code.setSource(at, id.isPresent() ? LinkedCode.PSEUDO_BTF_ID : 0);
        code.setImmediate(at, id.orElse(0));
        code.setImmediate(at + 1, 0);
    }

    private Section section(Relocation relocation, Symbol symbol) throws BpfObjectException {
        if (symbol.section() >= object.elf().sections().size() || symbol.value() < 0) {
            throw malformed(relocation, "symbol '" + symbol.name() + "' is in no section");
        }
        return object.elf().sections().get(symbol.section());
    }

    private long instruction(Relocation relocation, long offset) throws BpfObjectException {
        if (offset % Instruction.SIZE_BYTES != 0) {
            throw malformed(relocation, "byte " + offset + " is no instruction's first");
        }
        return offset / Instruction.SIZE_BYTES;
    }

    private BpfObjectException malformed(Relocation relocation, String problem) {
        return object.malformed(relocation.section(), relocation.offset(), problem);
    }
}
