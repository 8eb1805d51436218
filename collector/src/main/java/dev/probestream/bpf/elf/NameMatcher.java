package dev.probestream.bpf.elf;

/** Says whether a name is meant, from its bytes in a string table, so that no String is made for the others. */
interface NameMatcher {
    boolean matches(byte[] strings, int start, int end);
}
