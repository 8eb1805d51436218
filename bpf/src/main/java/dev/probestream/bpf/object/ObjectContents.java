package dev.probestream.bpf.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.btf.BtfExtension;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.btf.LoadableBtf;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.RelocatableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parts of an object, read and checked, but not yet joined: what the file says, whatever the kernel is.
 *
 * @param file for errors
 * @param elf sections, symbols, relocations
 * @param btf the types
 * @param extension what clang recorded about the instructions
 * @param functions the programs and their subprograms
 * @param maps of .maps
 * @param data the sections of variables
 * @param license the contents of the section license; "" without one
 */
record ObjectContents(
        String file,
        RelocatableFile elf,
        BtfFile btf,
        BtfExtension extension,
        List<ObjectFunction> functions,
        List<MapDefinition> maps,
        List<DataSection> data,
        String license) {
    private static final int MAX_LICENSE_BYTES = 128;
    private static final int VERSION_BYTES = 4;

    static ObjectContents read(String file, ByteBuffer bytes) throws IOException {
        RelocatableFile elf = RelocatableFile.parse(file, bytes);
        if (elf.machine() != ElfMachine.BPF) {
            throw new BpfObjectException(file, "", 18, "is for another machine than BPF (EM_BPF is 247)");
        }
        refuseOldSections(file, elf);
        refuseAddresses(file, elf);
        RelocatableFile.Section types = elf.sections().stream()
                .filter(section -> section.name().equals(".BTF"))
                .findFirst()
                .orElseThrow(() -> new BpfObjectException(
                        file, ".BTF", 0, "there are no types; compile with 'clang -g -target bpf'"));
        BtfFile btf = BtfFile.parse(file, types.bytes());
        return new ObjectContents(
                file,
                elf,
                btf,
                extension(file, elf, btf),
                ObjectFunction.all(file, elf),
                MapDefinition.all(file, elf, btf),
                DataSection.all(file, elf, btf),
                license(file, elf));
    }

    BpfObjectException malformed(int section, long offset, String problem) {
        boolean isKnown = section > 0 && section < elf.sections().size();
        return new BpfObjectException(
                file, isKnown ? elf.sections().get(section).name() : "", offset, problem);
    }

    /** What the kernel's BTF of this object needs of the ELF file. */
    LoadableBtf.Layout layout() {
        Map<String, Integer> sizes = new HashMap<>();
        for (RelocatableFile.Section section : elf.sections()) {
            sizes.put(section.name(), (int) Math.min(section.sizeBytes(), Integer.MAX_VALUE));
        }
        Map<String, Integer> offsets = new HashMap<>();
        Set<String> hidden = new HashSet<>();
        for (RelocatableFile.Symbol symbol : elf.symbols()) {
            if (symbol.type() == RelocatableFile.Symbol.STT_FUNC && symbol.isHidden()) {
                hidden.add(symbol.name());
            } else if (!symbol.name().isEmpty() && !symbol.isExternal()) {
                offsets.put(symbol.name(), (int) symbol.value());
            }
        }
        return new LoadableBtf.Layout(sizes, offsets, hidden);
    }

    /**
     * What BTF has of an external symbol.
     *
     * @param section .ksyms or .kconfig; "" if none
     * @param isTyped whether it is a function or a variable of a type, not {@code const void}
     */
    record External(String section, boolean isTyped) {}

    External external(String symbol) throws IOException {
        for (int id = 1; id <= btf.typeCount(); id++) {
            if (btf.kind(id) == BtfKind.DATA_SECTION) {
                for (int i = 0; i < btf.memberCount(id); i++) {
                    int variable = btf.variableId(id, i);
                    if (btf.name(variable).equals(symbol)) {
                        boolean isTyped =
                                btf.kind(variable) == BtfKind.FUNCTION || btf.bareId(btf.referredId(variable)) != 0;
                        return new External(btf.name(id), isTyped);
                    }
                }
            }
        }
        return new External("", false);
    }

    /** Only a linker could fill in the address that such a variable holds, and it differs between loads. */
    private static void refuseAddresses(String file, RelocatableFile elf) throws BpfObjectException {
        for (RelocatableFile.Relocation relocation : elf.relocations()) {
            String section = elf.sections().get(relocation.section()).name();
            if (DataSection.isData(section)) {
                throw new BpfObjectException(
                        file,
                        section,
                        relocation.offset(),
                        "a variable that begins with an address is not supported; assign it in a program");
            }
        }
    }

    private static void refuseOldSections(String file, RelocatableFile elf) throws BpfObjectException {
        for (RelocatableFile.Section section : elf.sections()) {
            String name = section.name();
            if (name.equals("maps") || name.startsWith("maps/")) {
                throw new BpfObjectException(
                        file, name, 0, "maps without types are not supported; declare them in SEC(\".maps\")");
            }
            if (name.startsWith(".struct_ops") || name.startsWith(".arena") || name.startsWith(".addr_space")) {
                throw new BpfObjectException(file, name, 0, "sections of this kind are not supported");
            }
        }
    }

    private static BtfExtension extension(String file, RelocatableFile elf, BtfFile btf) throws IOException {
        for (RelocatableFile.Section section : elf.sections()) {
            if (section.name().equals(".BTF.ext")) {
                return BtfExtension.parse(btf, file + " .BTF.ext", section.bytes());
            }
        }
        return BtfExtension.NONE;
    }

    private static String license(String file, RelocatableFile elf) throws BpfObjectException {
        String license = "";
        for (RelocatableFile.Section section : elf.sections()) {
            if (section.name().equals("license")) {
                byte[] bytes = new byte[Math.min(section.bytes().capacity(), MAX_LICENSE_BYTES)];
                section.bytes().get(0, bytes);
                license = new String(bytes, UTF_8);
                int end = license.indexOf('\0');
                if (end < 0) {
                    throw new BpfObjectException(file, "license", 0, "the license does not end with a zero");
                }
                license = license.substring(0, end);
            } else if (section.name().equals("version") && section.sizeBytes() != VERSION_BYTES) {
                // Kernels since 5.0 ignore it.
                throw new BpfObjectException(
                        file, "version", 0, "the version has " + section.sizeBytes() + " bytes instead of 4");
            }
        }
        return license;
    }
}
