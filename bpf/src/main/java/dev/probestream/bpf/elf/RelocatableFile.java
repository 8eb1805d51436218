package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A relocatable object (ET_REL) in memory: sections, symbols and relocations (elf.h; System V gABI chapter 4).
 *
 * <pre>
 * Elf64_Sym   0 st_name:4 4 st_info:1 (binding &lt;&lt; 4 | type) 5 st_other:1 6 st_shndx:2 8 st_value:8 16 st_size:8
 * Elf64_Rel   0 r_offset:8 8 r_info:8 (symbol &lt;&lt; 32 | type)
 * </pre>
 *
 * Nothing is copied: sections are views of the bytes. Immutable.
 */
public final class RelocatableFile {
    private static final int SYMBOL_BYTES = 24;
    private static final int RELOCATION_BYTES = 16;

    private final ElfMachine machine;
    private final List<Section> sections;
    private final List<Symbol> symbols;
    private final List<Relocation> relocations;

    private RelocatableFile(ElfBytes file, ByteBuffer bytes) throws IOException {
        ElfHeaders headers = ElfHeaders.readRelocatable(file);
        this.machine = headers.machine();
        this.sections = sections(file, bytes, headers.sections());
        this.symbols = symbols(file, headers.sections());
        this.relocations = relocations(file, headers.sections());
    }

    /**
     * Reads an object.
     *
     * @param name for errors
     * @param bytes the contents; borrowed, and not changed afterwards
     * @return the object
     * @throws IOException an {@link ElfFormatException} if it is no relocatable 64-bit little-endian ELF object
     */
    public static RelocatableFile parse(String name, ByteBuffer bytes) throws IOException {
        ByteBuffer all = bytes.slice();
        return new RelocatableFile(ElfBytes.inMemory(name, all), all);
    }

    /** {@return the processor that the object is for} */
    public ElfMachine machine() {
        return machine;
    }

    /** {@return all sections; the index in the list is the number by which symbols refer to them} */
    public List<Section> sections() {
        return sections;
    }

    /** {@return the symbols of .symtab, in its order} */
    public List<Symbol> symbols() {
        return symbols;
    }

    /** {@return the relocations of all sections, in the order of the file} */
    public List<Relocation> relocations() {
        return relocations;
    }

    /**
     * A section.
     *
     * @param name of the section
     * @param isCode whether it holds instructions
     * @param offsetInFile where it begins, in bytes
     * @param sizeBytes its size in memory
     * @param bytes its contents, little-endian; empty for one without contents (.bss)
     */
    public record Section(String name, boolean isCode, long offsetInFile, long sizeBytes, ByteBuffer bytes) {}

    /**
     * A symbol.
     *
     * @param name of the symbol, "" for that of a section
     * @param type STT_NOTYPE 0, STT_OBJECT 1, STT_FUNC 2, STT_SECTION 3
     * @param binding STB_LOCAL 0, STB_GLOBAL 1, STB_WEAK 2
     * @param isHidden whether it was declared with hidden visibility
     * @param section its section's number; 0 = defined elsewhere, 0xff00 and more = none
     * @param value its offset in the section in bytes
     * @param sizeBytes of what it names
     */
    public record Symbol(
            String name, int type, int binding, boolean isHidden, int section, long value, long sizeBytes) {
        /** The type of a function. */
        public static final int STT_FUNC = 2;

        /** The binding of a symbol that other objects do not see. */
        public static final int STB_LOCAL = 0;

        /** The binding of a symbol that may be missing. */
        public static final int STB_WEAK = 2;

        /** {@return whether the object only refers to it} */
        public boolean isExternal() {
            return section == 0;
        }
    }

    /**
     * A place that refers to a symbol.
     *
     * @param section the number of the section that holds the place
     * @param offset of the place in that section in bytes
     * @param type {@code R_BPF_*}
     * @param symbol the symbol's index
     * @param offsetInFile where the relocation itself is
     */
    public record Relocation(int section, long offset, int type, int symbol, long offsetInFile) {}

    private static List<Section> sections(ElfBytes file, ByteBuffer bytes, List<ElfHeaders.Section> headers)
            throws IOException {
        List<Section> sections = new ArrayList<>();
        for (ElfHeaders.Section header : headers) {
            boolean isEmpty = header.type() == ElfHeaders.Section.SHT_NOBITS || header.type() == 0;
            long length = isEmpty ? 0 : header.sizeBytes();
            if (header.sizeBytes() < 0 || length > bytes.capacity() - Math.max(0, header.offsetInFile())) {
                throw file.malformed(header.offsetInFile(), header.name() + " reaches past the end of the file");
            }
            if (header.offsetInFile() < 0 && !isEmpty) {
                throw file.malformed(0, header.name() + " begins before the file");
            }
            if (header.isCompressed()) {
                throw file.malformed(header.offsetInFile(), header.name() + " is compressed, which is not supported");
            }
            ByteBuffer view = isEmpty ? ByteBuffer.allocate(0) : bytes.slice((int) header.offsetInFile(), (int) length);
            sections.add(new Section(
                    header.name(),
                    header.isCode(),
                    header.offsetInFile(),
                    header.sizeBytes(),
                    view.order(ByteOrder.LITTLE_ENDIAN)));
        }
        return List.copyOf(sections);
    }

    private List<Symbol> symbols(ElfBytes file, List<ElfHeaders.Section> headers) throws IOException {
        List<Symbol> found = new ArrayList<>();
        for (int i = 0; i < headers.size(); i++) {
            ElfHeaders.Section header = headers.get(i);
            if (header.type() == ElfHeaders.Section.SHT_SYMTAB) {
                if (!found.isEmpty() || header.link() < 0 || header.link() >= sections.size()) {
                    throw file.malformed(header.offsetInFile(), "a second table of symbols, or one without names");
                }
                ByteBuffer table = sections.get(i).bytes();
                ByteBuffer names = sections.get(header.link()).bytes();
                for (int at = 0; at <= table.capacity() - SYMBOL_BYTES; at += SYMBOL_BYTES) {
                    found.add(symbol(file, header, table, names, at));
                }
            }
        }
        return List.copyOf(found);
    }

    private static Symbol symbol(ElfBytes file, ElfHeaders.Section header, ByteBuffer table, ByteBuffer names, int at)
            throws IOException {
        int start = table.getInt(at);
        if (start < 0 || start >= names.capacity()) {
            throw file.malformed(header.offsetInFile() + at, "a symbol's name is outside of the names");
        }
        int end = start;
        while (end < names.capacity() && names.get(end) != 0 && end - start < ElfHeaders.MAX_NAME_BYTES) {
            end++;
        }
        byte[] name = new byte[end - start];
        names.get(start, name);
        int info = Byte.toUnsignedInt(table.get(at + 4));
        int visibility = table.get(at + 5) & 3; // STV_INTERNAL 1, STV_HIDDEN 2
        return new Symbol(
                new String(name, UTF_8),
                info & 0xf,
                info >>> 4,
                visibility == 1 || visibility == 2,
                Short.toUnsignedInt(table.getShort(at + 6)),
                table.getLong(at + 8),
                table.getLong(at + 16));
    }

    private List<Relocation> relocations(ElfBytes file, List<ElfHeaders.Section> headers) throws IOException {
        List<Relocation> found = new ArrayList<>();
        for (int i = 0; i < headers.size(); i++) {
            ElfHeaders.Section header = headers.get(i);
            if (header.type() == ElfHeaders.Section.SHT_RELA) {
                throw file.malformed(header.offsetInFile(), header.name() + " has addends, which BPF objects have not");
            }
            if (header.type() == ElfHeaders.Section.SHT_REL && isOfInstructionsOrMaps(header.appliesTo())) {
                ByteBuffer table = sections.get(i).bytes();
                for (int at = 0; at <= table.capacity() - RELOCATION_BYTES; at += RELOCATION_BYTES) {
                    long place = header.offsetInFile() + at;
                    long type = table.getInt(at + 8);
                    int symbol = table.getInt(at + 12);
                    if (symbol < 0 || symbol >= symbols.size()) {
                        throw file.malformed(
                                place, "a relocation refers to symbol " + symbol + " of " + symbols.size());
                    }
                    found.add(new Relocation(header.appliesTo(), table.getLong(at), (int) type, symbol, place));
                }
            }
        }
        return List.copyOf(found);
    }

    /** Those of debug information are many and nobody asks for them. */
    private boolean isOfInstructionsOrMaps(int section) {
        if (section <= 0 || section >= sections.size()) {
            return false;
        }
        String name = sections.get(section).name();
        return !name.startsWith(".debug") && !name.startsWith(".BTF") && !name.startsWith(".eh_frame");
    }
}
