package dev.probestream.bpf.elf;

/**
 * A function that an ELF file names. Not an address in a process and not a place in the file: ask
 * {@link ElfFile#fileOffset} for the latter.
 *
 * @param name as the file has it (mangled, for C++), without a symbol version ({@code @@GLIBC_2.34})
 * @param virtualAddress where the file asks to be loaded, before any load bias
 * @param sizeBytes 0 only for symbols that {@link ElfFile#functionCovering} found
 * @param isLocal the symbol is bound to its object file (a C {@code static} function, or hidden by the linker)
 * @param isIndirect STT_GNU_IFUNC: the code returns the address of the function, chosen when the program starts
 */
public record ElfSymbol(String name, long virtualAddress, long sizeBytes, boolean isLocal, boolean isIndirect) {
    /**
     * The name with its C++ namespaces and classes but without arguments, e.g. {@code
     * v8::internal::Heap::CollectGarbage}; {@code name} itself where it is not mangled or not that simple (templates,
     * operators).
     */
    public String qualifiedName() {
        return CxxName.qualifiedNameOf(name);
    }
}
