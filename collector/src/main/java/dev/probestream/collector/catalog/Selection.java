package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfSymbol;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Selects probes. A glob of {@code *} and {@code ?} must match the whole name of a probe, or PROVIDER:NAME
 * (CATEGORY:EVENT), or its spec; for a C++ function also its qualified name, with or without parameters.
 */
public final class Selection {
    private final Optional<Pattern> wanted;
    /** Whether the glob contains a colon, a slash or a parenthesis; only then qualified names are compared. */
    private final boolean isQualified;

    private final boolean showsFunctions;

    private Selection(Optional<Pattern> wanted, boolean isQualified, boolean showsFunctions) {
        this.wanted = wanted;
        this.isQualified = isQualified;
        this.showsFunctions = showsFunctions;
    }

    /**
     * Selects everything.
     *
     * @param showsFunctions whether functions are shown, or only counted
     * @return what selects everything
     */
    public static Selection all(boolean showsFunctions) {
        return new Selection(Optional.empty(), false, showsFunctions);
    }

    /**
     * Selects what matches, including functions.
     *
     * @param glob with {@code *} and {@code ?}; of a name, or of a whole spec if it has a colon or a slash
     * @return what selects the names that match
     */
    public static Selection matching(String glob) {
        String pattern = Pattern.quote(glob).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
        boolean isQualified = glob.chars().anyMatch(c -> ":/(".indexOf(c) >= 0);
        return new Selection(Optional.of(Pattern.compile(pattern, Pattern.DOTALL)), isQualified, true);
    }

    /** {@return whether functions are shown, or only counted} */
    public boolean showsFunctions() {
        return showsFunctions;
    }

    boolean takesAll() {
        return wanted.isEmpty();
    }

    boolean takes(String name, String qualifiedName, String spelling) {
        return wanted.isEmpty() || matches(name) || matches(qualifiedName) || matches(spelling);
    }

    boolean takes(CatalogFile file, ElfSymbol function) {
        return wanted.isEmpty()
                || matches(function.name())
                || (isQualified
                        && (matches(function.qualifiedName())
                                || matches(ProbeSpelling.name(function))
                                || matches(ProbeSpelling.function(file, function))));
    }

    private boolean matches(String text) {
        return wanted.isPresent() && wanted.get().matcher(text).matches();
    }
}
