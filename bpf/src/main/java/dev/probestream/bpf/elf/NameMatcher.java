package dev.probestream.bpf.elf;

/** Says whether a name is meant, from its bytes in a string table, so that no String is made for the others. */
interface NameMatcher {
    /** The name starts at {@code start} and ends at {@link SymbolTable#nameEnd}, which is seldom worth looking for. */
    boolean matches(byte[] strings, int start);
}
