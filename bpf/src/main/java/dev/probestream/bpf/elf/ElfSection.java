package dev.probestream.bpf.elf;

/** One entry of the section header table (elf.h, Elf64_Shdr), with its name looked up. */
record ElfSection(
        String name,
        int type,
        long flags,
        long virtualAddress,
        long offsetInFile,
        long sizeBytes,
        int link,
        long alignment) {
    static final int SHT_SYMTAB = 2;
    static final int SHT_NOTE = 7;
    static final int SHT_NOBITS = 8;
    static final int SHT_DYNSYM = 11;

    private static final long SHF_COMPRESSED = 1 << 11;

    boolean isCompressed() {
        return (flags & SHF_COMPRESSED) != 0;
    }
}
