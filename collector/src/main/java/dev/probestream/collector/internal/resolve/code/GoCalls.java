package dev.probestream.collector.internal.resolve.code;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds out how the functions of a file get their arguments, which Go does in ways of its own. */
public final class GoCalls {
    /** go1.17, go1.22.3, devel go1.23-…; what follows the minor version is ignored. */
    private static final Pattern VERSION = Pattern.compile("(?:.*\\s)?go1\\.(\\d{1,4})\\b.*", Pattern.DOTALL);

    /** The suffix that Go's linker gives a function in assembly beside its wrapper (cmd/link, mangleABIName). */
    private static final String ASSEMBLY = ".abi0";

    /** The releases whose compiler passes arguments in registers (doc/go1.17, doc/go1.18: "Compiler"). */
    private static final int REGISTERS_SINCE_X86_64 = 17;

    private static final int REGISTERS_SINCE_AARCH64 = 18;

    private GoCalls() {}

    public static boolean isGo(ElfFile elf) {
        return elf.hasSection(GoBuild.SECTION) || elf.hasSection(".note.go.buildid");
    }

    /**
     * The convention of a function.
     *
     * @param symbol as the file names it
     */
    public static CallingConvention of(ElfFile elf, String symbol) throws IOException {
        if (!isGo(elf)) {
            return CallingConvention.C;
        }
        boolean isOld = GoBuild.version(elf)
                .map(version -> isOld(version, elf.machine()))
                .orElse(false);
        return isOld || symbol.endsWith(ASSEMBLY) ? CallingConvention.GO_STACK : CallingConvention.GO_REGISTERS;
    }

    static boolean isOld(String version, ElfMachine machine) {
        Matcher matcher = VERSION.matcher(version);
        int since = machine == ElfMachine.AARCH64 ? REGISTERS_SINCE_AARCH64 : REGISTERS_SINCE_X86_64;
        return matcher.matches() && Integer.parseInt(matcher.group(1)) < since;
    }
}
