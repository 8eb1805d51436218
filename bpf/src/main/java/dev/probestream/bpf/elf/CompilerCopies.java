package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** The copies of one function that a compiler made under other names, without the parts that are entered by a jump. */
final class CompilerCopies implements FunctionNames.Matcher {
    private final String wanted;
    private final byte[] wantedBytes;
    private final MangledPath path = new MangledPath();

    /** @param function as the file has it, or the qualified name of a C++ function */
    CompilerCopies(String function) {
        this.wanted = function;
        this.wantedBytes = function.getBytes(UTF_8);
    }

    @Override
    public boolean matches(byte[] strings, int start) {
        int end = SymbolTable.nameEnd(strings, start);
        int suffix = CompilerCopy.suffix(strings, start, end);
        if (suffix == end || CompilerCopy.isFragment(strings, suffix, end)) {
            return false;
        }
        return Arrays.equals(strings, start, suffix, wantedBytes, 0, wantedBytes.length)
                || (path.walk(strings, start, suffix) && path.toString().equals(wanted));
    }
}
