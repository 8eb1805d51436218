package dev.probestream.collector.internal.v8.layout;

import dev.probestream.collector.internal.v8.layout.UnlistedCodeFields.Operations;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;
import dev.probestream.collector.internal.v8.layout.V8Layout.ScopeFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The versions of V8 that have been read, with what their symbols do not give: the one table of versions. Each value was taken from the
 * sources of that version and compared with the memory of the official binary. Fields of objects are checked by their neighbours, which
 * symbols give, and objects by their types when they are read, so that versions between and after these are read, too. Code has no such
 * check: only these versions are read, and those between two that are alike.
 */
public final class KnownV8 {
    private static final KnownV8 V10_2 = new KnownV8(10, 2, 18, fields(48, -1, 104, -1), codeOf18(), 8);

    private static final List<KnownV8> ALL = List.of(
            V10_2,
            new KnownV8(11, 3, 20, fields(48, -1, 112, -1), codeOf20(), 8),
            new KnownV8(12, 4, 22, fields(24, -1, 112, 3), codeOf22(), 16),
            new KnownV8(13, 6, 24, fields(24, 16, 112, 5), codeSince13(false), 16),
            new KnownV8(14, 1, 25, fields(24, 16, 112, 5), codeSince13(true), 16),
            new KnownV8(14, 6, 26, fields(24, 16, 112, 5), codeSince13(true), 16));

    private final int major;
    private final int minor;
    private final int node;
    private final UnlistedFields fields;
    private final UnlistedCodeFields code;
    private final int reaction;

    /**
     * @param node the version of Node.js that has it
     * @param reaction where a PromiseReaction has its fields behind next: since the continuation preserved embedder data went to its front,
     *     in 12.x, 8 bytes further on. With the wrong one, the first reaction's type of next does not fit
     */
    private KnownV8(int major, int minor, int node, UnlistedFields fields, UnlistedCodeFields code, int reaction) {
        this.major = major;
        this.minor = minor;
        this.node = node;
        this.fields = fields;
        this.code = code;
        this.reaction = reaction;
    }

    private static UnlistedFields fields(
            int functionCode, int sharedUntrustedData, int scriptSourceUrl, int moduleScopeType) {
        // Scope types with positions behind the variable part: eval, function, module, script.
        ScopeFlags flags = new ScopeFlags(0, 10, 12, 14, 0b11110);
        return new UnlistedFields(
                functionCode, 8, sharedUntrustedData, 17, 24, scriptSourceUrl, moduleScopeType, flags);
    }

    private static UnlistedCodeFields codeOf18() {
        Operations operations = new Operations(28, 3, 3, 18, 18, 19, 22, false);
        return new UnlistedCodeFields(32, false, -1, -1, -1, -1, -1, 16, 24, 2, 6, 7, operations, turbofan(), maglev());
    }

    private static UnlistedCodeFields codeOf20() {
        Operations operations = new Operations(36, 2, 3, 23, 24, 25, 29, true);
        return new UnlistedCodeFields(32, false, 16, 8, 40, 56, 48, 16, 24, 2, 6, 7, operations, turbofan(), maglev());
    }

    private static UnlistedCodeFields codeOf22() {
        Operations operations = new Operations(40, 12, 13, 0, 1, 2, 33, true);
        return new UnlistedCodeFields(24, false, 32, 8, 40, 52, 48, 8, 16, 2, 6, 7, operations, turbofan(), maglev());
    }

    private static UnlistedCodeFields codeSince13(boolean hasPositionFlags) {
        Operations operations = new Operations(45, 14, 15, 0, 1, 2, 38, true);
        // The number of stack slots comes first.
        Safepoints turbofan = new Safepoints(4, 8, 12, 0);
        Safepoints maglev = new Safepoints(4, 8, 16, 1);
        return new UnlistedCodeFields(
                24, hasPositionFlags, 32, 8, 40, 56, 52, 8, 16, 3, 7, 8, operations, turbofan, maglev);
    }

    private static Safepoints turbofan() {
        return new Safepoints(0, 4, 8, 0);
    }

    /** Behind the configuration stand the numbers of tagged and untagged slots. */
    private static Safepoints maglev() {
        return new Safepoints(0, 4, 16, 1);
    }

    /** {@return the versions, as "10.2 (Node.js 18), 11.3 (20) and 12.4 (22)"} */
    public static String names() {
        List<String> names = new ArrayList<>();
        for (KnownV8 known : ALL) {
            names.add(known.number() + (known == V10_2 ? " (Node.js " : " (") + known.node + ")");
        }
        int last = names.size() - 1;
        return String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }

    private String number() {
        return major + "." + minor;
    }

    /**
     * What symbols do not give of objects: as in the version with the same major number, else in the one before.
     *
     * @throws V8LayoutException if the version is too old, or what its symbols say does not fit
     */
    static UnlistedFields fields(V8Symbols symbols) throws V8LayoutException {
        V8Version version = symbols.version();
        Optional<KnownV8> alike = ALL.stream()
                .filter(known -> known.major == version.major())
                .findFirst()
                .or(() -> before(version));
        if (alike.isEmpty() || !version.isAtLeast(V10_2.major, V10_2.minor)) {
            throw new V8LayoutException("V8 " + version + " is older than " + V10_2.number() + " (Node.js " + V10_2.node
                    + "): its objects cannot be read");
        }
        UnlistedFields fields = alike.get().fields;
        fields.check(symbols);
        return fields;
    }

    /**
     * What symbols do not give of code.
     *
     * @throws V8LayoutException if the code of the version has not been read
     */
    static UnlistedCodeFields code(V8Version version) throws V8LayoutException {
        Optional<UnlistedCodeFields> before = before(version).map(known -> known.code);
        if (before.isEmpty() || !before.equals(from(version).map(known -> known.code))) {
            throw new V8LayoutException("the layout of code of V8 " + version + " is not known, so that lines of calls"
                    + " and inlined functions are not shown; known are " + names());
        }
        return before.get();
    }

    /**
     * {@return where a PromiseReaction has its fields behind next, in bytes}
     *
     * @throws V8LayoutException if the version is between two that differ
     */
    public static int reaction(V8Version version) throws V8LayoutException {
        int before = before(version).orElse(V10_2).reaction;
        int from = from(version).map(known -> known.reaction).orElse(before);
        if (before != from) {
            throw new V8LayoutException(
                    "where V8 " + version + " keeps the handlers of a promise is not known; known are " + names());
        }
        return before;
    }

    /** This version, or the last one before it. */
    private static Optional<KnownV8> before(V8Version version) {
        return ALL.stream()
                .filter(known -> version.isAtLeast(known.major, known.minor))
                .reduce((first, second) -> second);
    }

    /** This version, or the first one after it. */
    private static Optional<KnownV8> from(V8Version version) {
        return ALL.stream()
                .filter(known -> known.major > version.major()
                        || (known.major == version.major() && known.minor >= version.minor()))
                .findFirst();
    }
}
