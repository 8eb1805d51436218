package dev.probestream.bpf.elf;

/**
 * A function in the symbol table of an ELF file. Its address is neither an address in a process nor a file offset;
 * {@link ElfFile#fileOffset} returns the latter.
 *
 * @param name as the file has it (mangled, for C++), without a symbol version ({@code @@GLIBC_2.34})
 * @param virtualAddress its address before any load bias
 * @param sizeBytes 0 only for symbols that {@link ElfFile#functionCovering} found
 * @param isLocal the symbol is bound to its object file (a C {@code static} function, or hidden by the linker)
 * @param isIndirect STT_GNU_IFUNC: the code returns the address of the function, chosen when the program starts
 */
public record ElfSymbol(String name, long virtualAddress, long sizeBytes, boolean isLocal, boolean isIndirect) {
    /**
     * {@return the name with its C++ namespaces and classes but without arguments, e.g} {@code
     * v8::internal::Heap::CollectGarbage}; {@code name} itself where it is not mangled or not that simple (templates,
     * operators).
     */
    public String qualifiedName() {
        return CxxName.qualifiedNameOf(name);
    }
}
