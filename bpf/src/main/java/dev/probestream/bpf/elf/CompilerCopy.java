package dev.probestream.bpf.elf;

/**
 * Recognises the copies and fragments of a function that compilers make under a name of their own: {@code f.cold} (the
 * rarely run part, entered by a jump), {@code f.part.0}, {@code f.constprop.0}, {@code f.isra.0} (with other arguments
 * than in the source). A search finds them only when its pattern has such a suffix.
 */
final class CompilerCopy {
    private static final String[] SUFFIXES = {".cold", ".part.", ".constprop.", ".isra."};

    private CompilerCopy() {}

    static boolean isNamed(byte[] strings, int start, int end) {
        return suffix(strings, start, end) < end;
    }

    /** Where the suffix of a copy or fragment begins; the end if the name has none. */
    static int suffix(byte[] strings, int start, int end) {
        for (int at = start + 1; at < end; at++) {
            if (strings[at] == '.') {
                for (String suffix : SUFFIXES) {
                    if (startsWith(strings, at, end, suffix)) {
                        return at;
                    }
                }
            }
        }
        return end;
    }

    /** Whether the suffix is that of a part which is entered by a jump, so that it has no arguments. */
    static boolean isFragment(byte[] strings, int suffix, int end) {
        for (int at = suffix; at < end; at++) {
            if (startsWith(strings, at, end, SUFFIXES[0])) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWith(byte[] strings, int at, int end, String suffix) {
        if (end - at < suffix.length()) {
            return false;
        }
        for (int i = 0; i < suffix.length(); i++) {
            if (strings[at + i] != suffix.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
