package dev.probestream.bpf.elf;

/** One entry of the program header table (elf.h, Elf64_Phdr). */
record ElfSegment(
        int type, boolean isExecutable, long offsetInFile, long virtualAddress, long sizeInFileBytes, long alignment) {
    static final int PT_LOAD = 1;
    static final int PT_NOTE = 4;

    boolean coversAddress(long address) {
        return Long.compareUnsigned(address - virtualAddress, sizeInFileBytes) < 0;
    }

    boolean coversOffset(long offset) {
        return Long.compareUnsigned(offset - offsetInFile, sizeInFileBytes) < 0;
    }
}
