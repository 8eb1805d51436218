package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.machine.CxxSignature;

/** Writes probes in the syntax of a {@link dev.probestream.collector.probe.ProbeSpec}, with quotes where needed. */
public final class ProbeSpelling {
    private static final String ENDS_A_FILE = ":([\"";
    private static final String ENDS_A_PROBE = ":/([\"+";
    /** After a function's name a slash begins a filter; unquoted {@code *} and {@code ?} are globs. */
    private static final String ENDS_A_FUNCTION = "/([\"+*?";

    private static final CxxDemangler DEMANGLER = CxxDemangler.ofThisMachine();

    private ProbeSpelling() {}

    /**
     * {@return {@code usdt:PATH:PROVIDER:NAME}}
     *
     * @param probe the probe
     */
    public static String usdt(UsdtProbe probe) {
        return usdt(probe.file(), probe.provider(), probe.name());
    }

    static String usdt(CatalogFile file, String provider, String name) {
        return "usdt:" + quoted(file.module(), ENDS_A_FILE) + ":" + quoted(provider, ENDS_A_PROBE) + ":"
                + quoted(name, ENDS_A_PROBE);
    }

    /**
     * {@return {@code uprobe:PATH:FUNCTION}; of C++ with its parameters}
     *
     * @param file its file
     * @param function its symbol
     */
    public static String function(CatalogFile file, ElfSymbol function) {
        return "uprobe:" + quoted(file.module(), ENDS_A_FILE) + ":" + quoted(name(function), ENDS_A_FUNCTION);
    }

    /**
     * {@return the name that means this function alone: with parameters, where a spec can find it so; else the symbol's
     * name}
     *
     * @param function its symbol
     */
    public static String name(ElfSymbol function) {
        String qualifiedName = function.qualifiedName();
        if (qualifiedName.equals(function.name()) || function.name().indexOf('.') >= 0) {
            return function.name();
        }
        String signature = DEMANGLER.signature(function.name());
        return new CxxSignature(signature).qualifiedName().equals(qualifiedName) ? signature : function.name();
    }

    /**
     * {@return {@code tracepoint:CATEGORY:EVENT}}
     *
     * @param category the folder in tracefs
     * @param event the tracepoint's name
     */
    public static String tracepoint(String category, String event) {
        return "tracepoint:" + category + ":" + event;
    }

    /**
     * {@return {@code rawtracepoint:EVENT}}
     *
     * @param name the event
     */
    public static String rawTracepoint(String name) {
        return "rawtracepoint:" + name;
    }

    /**
     * {@return {@code kprobe:FUNCTION}}
     *
     * @param name the function
     */
    public static String kernelFunction(String name) {
        return "kprobe:" + name;
    }

    private static String quoted(String word, String special) {
        boolean isPlain = word.chars().noneMatch(c -> special.indexOf(c) >= 0 || Character.isWhitespace(c));
        return isPlain ? word : '"' + word + '"';
    }
}
