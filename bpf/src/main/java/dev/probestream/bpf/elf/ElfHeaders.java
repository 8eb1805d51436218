package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The three tables every ELF file starts from (elf.h; System V gABI chapters 4 and 5):
 *
 * <pre>
 * Elf64_Ehdr  0 magic 4 class 5 data 6 version 16 e_type:2 18 e_machine:2 32 e_phoff:8 40 e_shoff:8
 *             54 e_phentsize:2 56 e_phnum:2 58 e_shentsize:2 60 e_shnum:2 62 e_shstrndx:2         (64 bytes)
 * Elf64_Phdr  0 p_type:4 4 p_flags:4 8 p_offset:8 16 p_vaddr:8 32 p_filesz:8 40 p_memsz:8 48 p_align:8 (56 bytes)
 * Elf64_Shdr  0 sh_name:4 4 sh_type:4 8 sh_flags:8 16 sh_addr:8 24 sh_offset:8 32 sh_size:8
 *             40 sh_link:4 44 sh_info:4 48 sh_addralign:8 56 sh_entsize:8                          (64 bytes)
 * </pre>
 *
 * A count that does not fit 16 bits stands in section 0: sh_size (sections), sh_link (string section), sh_info
 * (segments).
 */
record ElfHeaders(boolean isDynamic, ElfMachine machine, List<Segment> segments, List<Section> sections) {
    private static final int HEADER_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int SECTION_BYTES = 64;

    private static final int ELF_MAGIC = 0x464c457f;
    /** {@code #!} */
    private static final int SCRIPT_MAGIC = 0x2123;

    private static final int ELFCLASS64 = 2;
    private static final int ELFDATA2LSB = 1;
    private static final int ET_REL = 1;
    private static final int ET_EXEC = 2;
    private static final int ET_DYN = 3;
    private static final int PN_XNUM = 0xffff;
    private static final int SHN_XINDEX = 0xffff;
    private static final int PF_X = 1;
    /** More than any linker writes; bounds the work on a broken header. */
    private static final int MAX_TABLE_ENTRIES = 1 << 20;

    /** Longer section names are cut; so a broken name table costs no memory. */
    static final int MAX_NAME_BYTES = 256;

    static ElfHeaders read(ElfBytes bytes) throws IOException {
        ByteBuffer header = header(bytes);
        int type = Short.toUnsignedInt(header.getShort(16));
        if (type != ET_EXEC && type != ET_DYN) {
            throw bytes.malformed(16, "type " + type + " is neither an executable (2) nor a shared object (3)");
        }
        return tables(bytes, header, type);
    }

    /** Of what a compiler writes and a linker reads. */
    static ElfHeaders readRelocatable(ElfBytes bytes) throws IOException {
        ByteBuffer header = header(bytes);
        int type = Short.toUnsignedInt(header.getShort(16));
        if (type != ET_REL) {
            throw bytes.malformed(16, "type " + type + " is not a relocatable object (1)");
        }
        return tables(bytes, header, type);
    }

    private static ByteBuffer header(ElfBytes bytes) throws IOException {
        checkMagic(bytes);
        ByteBuffer header = bytes.region(0, HEADER_BYTES, "the ELF header");
        checkClass(bytes, header);
        return header;
    }

    private static ElfHeaders tables(ElfBytes bytes, ByteBuffer header, int type) throws IOException {
        long sectionsOffset = header.getLong(40);
        long sectionCount = Short.toUnsignedInt(header.getShort(60));
        int nameSection = Short.toUnsignedInt(header.getShort(62));
        long segmentCount = Short.toUnsignedInt(header.getShort(56));
        if (sectionsOffset != 0) {
            checkEntrySize(bytes, header, 58, SECTION_BYTES, "section");
            ByteBuffer first = bytes.region(sectionsOffset, SECTION_BYTES, "section header 0");
            sectionCount = sectionCount == 0 ? first.getLong(32) : sectionCount;
            nameSection = nameSection == SHN_XINDEX ? first.getInt(40) : nameSection;
            segmentCount = segmentCount == PN_XNUM ? Integer.toUnsignedLong(first.getInt(44)) : segmentCount;
        } else {
            sectionCount = 0;
        }
        if (segmentCount != 0) {
            checkEntrySize(bytes, header, 54, SEGMENT_BYTES, "program");
        }
        return new ElfHeaders(
                type == ET_DYN,
                ElfMachine.ofNumber(Short.toUnsignedInt(header.getShort(18))),
                segments(bytes, header.getLong(32), segmentCount),
                sections(bytes, sectionsOffset, sectionCount, nameSection));
    }

    private static void checkMagic(ElfBytes bytes) throws IOException {
        int magic = bytes.sizeBytes() < 4 ? 0 : bytes.region(0, 4, "the magic").getInt(0);
        if ((magic & 0xffff) == SCRIPT_MAGIC) {
            throw bytes.malformed(0, "is a script, not an ELF file; probe the program that interprets it");
        }
        if (magic != ELF_MAGIC) {
            throw bytes.malformed(
                    0, "is not an ELF file (does not start with 7f 45 4c 46)" + OtherFormat.suffixFor(bytes));
        }
    }

    private static void checkClass(ElfBytes bytes, ByteBuffer header) throws ElfFormatException {
        if (header.get(4) != ELFCLASS64) {
            throw bytes.malformed(4, "is a 32-bit ELF file; only 64-bit ones can be probed");
        }
        if (header.get(5) != ELFDATA2LSB) {
            throw bytes.malformed(5, "is a big-endian ELF file; only little-endian ones can be probed");
        }
    }

    private static void checkEntrySize(ElfBytes bytes, ByteBuffer header, int at, int expected, String which)
            throws ElfFormatException {
        int size = Short.toUnsignedInt(header.getShort(at));
        if (size != expected) {
            throw bytes.malformed(at, "a " + which + " header has " + size + " bytes instead of " + expected);
        }
    }

    private static List<Segment> segments(ElfBytes bytes, long offset, long count) throws IOException {
        checkCount(bytes, offset, count, "program");
        ByteBuffer table = bytes.region(offset, count * SEGMENT_BYTES, "the program header table");
        List<Segment> segments = new ArrayList<>();
        for (int at = 0; at < table.capacity(); at += SEGMENT_BYTES) {
            segments.add(new Segment(
                    table.getInt(at),
                    (table.getInt(at + 4) & PF_X) != 0,
                    table.getLong(at + 8),
                    table.getLong(at + 16),
                    table.getLong(at + 32),
                    table.getLong(at + 40),
                    table.getLong(at + 48)));
        }
        return List.copyOf(segments);
    }

    private static List<Section> sections(ElfBytes bytes, long offset, long count, int nameSection) throws IOException {
        checkCount(bytes, offset, count, "section");
        if (count == 0) {
            return List.of();
        }
        ByteBuffer table = bytes.region(offset, count * SECTION_BYTES, "the section header table");
        if (nameSection < 0 || nameSection >= count) {
            throw bytes.malformed(62, "the names are in section " + nameSection + " of " + count);
        }
        int namesHeader = nameSection * SECTION_BYTES;
        ByteBuffer names = bytes.region(
                table.getLong(namesHeader + 24), table.getLong(namesHeader + 32), "the section name table");
        List<Section> sections = new ArrayList<>();
        for (int at = 0; at < table.capacity(); at += SECTION_BYTES) {
            sections.add(new Section(
                    nameAt(bytes, names, table.getInt(at), offset + at),
                    table.getInt(at + 4),
                    table.getLong(at + 8),
                    table.getLong(at + 16),
                    table.getLong(at + 24),
                    table.getLong(at + 32),
                    table.getInt(at + 40),
                    table.getInt(at + 44),
                    table.getLong(at + 48)));
        }
        return List.copyOf(sections);
    }

    private static void checkCount(ElfBytes bytes, long offset, long count, String which) throws ElfFormatException {
        if (count < 0 || count > MAX_TABLE_ENTRIES) {
            throw bytes.malformed(offset, "claims " + Long.toUnsignedString(count) + " " + which + " headers");
        }
    }

    private static String nameAt(ElfBytes bytes, ByteBuffer names, int start, long headerOffset)
            throws ElfFormatException {
        if (start < 0 || start >= names.capacity()) {
            throw bytes.malformed(headerOffset, "the section's name is outside the section name table");
        }
        int end = start;
        int limit = Math.min(names.capacity(), start + MAX_NAME_BYTES);
        while (end < limit && names.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - start];
        names.get(start, name);
        return new String(name, ISO_8859_1);
    }

    /** One entry of the section header table (Elf64_Shdr), with its name looked up. */
    record Section(
            String name,
            int type,
            long flags,
            long virtualAddress,
            long offsetInFile,
            long sizeBytes,
            int link,
            int appliesTo,
            long alignment) {
        static final int SHT_SYMTAB = 2;
        static final int SHT_RELA = 4;
        static final int SHT_NOTE = 7;
        static final int SHT_NOBITS = 8;
        static final int SHT_REL = 9;
        static final int SHT_DYNSYM = 11;

        private static final long SHF_COMPRESSED = 1 << 11;

        private static final long SHF_EXECINSTR = 1 << 2;

        boolean isCode() {
            return (flags & SHF_EXECINSTR) != 0;
        }

        boolean isCompressed() {
            return (flags & SHF_COMPRESSED) != 0;
        }
    }

    /** One entry of the program header table (Elf64_Phdr). */
    record Segment(
            int type,
            boolean isExecutable,
            long offsetInFile,
            long virtualAddress,
            long sizeInFileBytes,
            long sizeInMemoryBytes,
            long alignment) {
        static final int PT_LOAD = 1;
        static final int PT_NOTE = 4;
        static final int PT_TLS = 7;

        boolean coversAddress(long address) {
            return Long.compareUnsigned(address - virtualAddress, sizeInFileBytes) < 0;
        }

        boolean coversOffset(long offset) {
            return Long.compareUnsigned(offset - offsetInFile, sizeInFileBytes) < 0;
        }
    }
}
