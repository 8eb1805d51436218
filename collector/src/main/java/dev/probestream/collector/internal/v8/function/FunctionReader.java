package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.HeapStrings;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names of functions from the memory of one process. What was read is kept by address; the caller calls
 * {@link #forget} when objects may have moved (a mark-compact), before the next question.
 *
 * <p>For one thread at a time.
 */
public final class FunctionReader {
    /** SharedFunctionInfo::FunctionKindBits; FunctionKind (v8/src/objects/function-kind.h), the same from V8 12.4 to 13.6. */
    private static final int FUNCTION_KIND_MASK = 0x1f;

    private static final int CLASS_MEMBERS_INITIALIZER = 24;
    private static final int CLASS_STATIC_INITIALIZER = 25;

    /** Longer names are cut. */
    private static final int MAX_NAME_CHARACTERS = 4_096;

    private static final int MAX_FUNCTIONS = 16_384;
    private static final int MAX_SCRIPTS = 1_024;
    /** Of one script; lines of a larger one are known only if V8 keeps its line ends. */
    private static final long MAX_SOURCE_BYTES = 64L << 20;
    /** Of all scripts together: many of them may have one text. */
    private static final long MAX_COUNTED_CHARACTERS = 8 * MAX_SOURCE_BYTES;

    private static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

    static final Budget NAME_BUDGET = new Budget(HeapReader.READS, HeapReader.BYTES);
    static final Budget SOURCE_BUDGET = new Budget(HeapReader.READS + 4_096, HeapReader.BYTES + MAX_SOURCE_BYTES);

    private final HeapReader heap;
    private final HeapStrings strings;
    private final V8Layout layout;
    private final Map<Long, FunctionDescription> functions = bounded(MAX_FUNCTIONS);
    private final Map<Long, Script> scripts = bounded(MAX_SCRIPTS);
    private final Map<Reason, Long> failures = new EnumMap<>(Reason.class);
    /** Counts the calls of {@link #forget}. */
    private int generation;
    /** In whose text lines were counted since then. */
    private long countedCharacters;

    public FunctionReader(HeapReader heap) {
        this.heap = heap;
        this.strings = new HeapStrings(heap);
        this.layout = heap.layout();
    }

    record Budget(int reads, long bytes) {}

    /** @param sharedFunctionInfo tagged */
    public Optional<FunctionDescription> function(long sharedFunctionInfo) {
        FunctionDescription known = functions.get(sharedFunctionInfo);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<FunctionDescription> read = ask(NAME_BUDGET, () -> heap.agreed(() -> facts(sharedFunctionInfo)))
                .map(this::describe);
        // Without its line it is read again: the source may have been moving.
        read.filter(function -> function.line() > 0 || function.startPosition() < 0)
                .ifPresent(function -> functions.put(sharedFunctionInfo, function));
        return read;
    }

    /** Forgets every function and script: their addresses may hold other objects now. */
    public void forget() {
        functions.clear();
        scripts.clear();
        generation++;
        countedCharacters = 0;
    }

    /** How many questions had no answer, by reason. */
    public Map<Reason, Long> failures() {
        return Map.copyOf(failures);
    }

    <T> Optional<T> ask(Budget budget, HeapReader.Question<T> question) {
        heap.begin(budget.reads, budget.bytes);
        try {
            return Optional.of(question.answer());
        } catch (HeapException e) {
            failures.merge(e.reason(), 1L, Long::sum);
            return Optional.empty();
        }
    }

    /** Empty for a script that was read before the last {@link #forget}. */
    <T> Optional<T> ask(Script script, Budget budget, HeapReader.Question<T> question) {
        return script.generation() == generation ? ask(budget, question) : Optional.empty();
    }

    /** @throws HeapException if the lines of a source of this size must not be counted */
    void spendOnLines(int characters) throws HeapException {
        countedCharacters += characters;
        if (characters > MAX_SOURCE_BYTES || countedCharacters > MAX_COUNTED_CHARACTERS) {
            throw new HeapException(Reason.BUDGET, "a source of " + characters + " characters");
        }
    }

    String sourceMappingUrl(Script script, int maxCharacters) throws HeapException {
        return heap.agreed(() -> sourceMappingUrl(script.address(), maxCharacters));
    }

    private String sourceMappingUrl(long script, int maxCharacters) throws HeapException {
        heap.require(script, layout.types().script());
        long url = heap.word(script, layout.scripts().sourceMappingUrl());
        return strings.isString(url) && strings.length(url) <= maxCharacters ? strings.string(url, maxCharacters) : "";
    }

    /**
     * What the memory contains about a function.
     *
     * @param script tagged; 0 if it has none
     */
    private record Facts(String name, int startPosition, long script, String scriptName) {}

    private Facts facts(long function) throws HeapException {
        heap.require(function, layout.types().sharedFunctionInfo());
        long nameOrScope = heap.word(function, layout.sharedFunctions().nameOrScopeInfo());
        @Nullable Long uncompiled = uncompiled(function);
        String name;
        int start = -1;
        if (HeapReader.isSmi(nameOrScope)) {
            name = "";
        } else if (strings.isString(nameOrScope)) {
            name = strings.string(nameOrScope, MAX_NAME_CHARACTERS);
        } else {
            FunctionScope scope = FunctionScope.read(heap, nameOrScope);
            name = initializerName(function);
            if (name.isEmpty()) {
                name = optionalString(scope.functionName());
            }
            if (name.isEmpty()) {
                name = optionalString(scope.inferredName());
            }
            start = scope.startPosition();
        }
        if (uncompiled != null) {
            if (name.isEmpty()) {
                name = optionalString(
                        heap.word(uncompiled, layout.uncompiledFunctions().inferredName()));
            }
            if (start < 0) {
                start = heap.int32(uncompiled, layout.uncompiledFunctions().startPosition());
            }
        }
        long script = script(function);
        return script == 0 || scripts.containsKey(script)
                ? new Facts(name, start, script, "")
                : new Facts(name, start, script, scriptName(script));
    }

    /**
     * What {@code Error.stack} calls the function that V8 makes of the fields of a class, or of its static blocks and fields
     * (SharedFunctionInfo::DebugName); "" for others. Before V8 12 it is the function's own name.
     */
    private String initializerName(long function) throws HeapException {
        if (!layout.version().isAtLeast(12, 0)) {
            return "";
        }
        return switch (heap.int32(function, layout.sharedFunctions().flags()) & FUNCTION_KIND_MASK) {
            case CLASS_MEMBERS_INITIALIZER -> "<instance_members_initializer>";
            case CLASS_STATIC_INITIALIZER -> "<static_initializer>";
            default -> "";
        };
    }

    private FunctionDescription describe(Facts facts) {
        Optional<Script> script = facts.script == 0 ? Optional.empty() : Optional.of(script(facts));
        SourcePosition position = script.filter(known -> facts.startPosition >= 0)
                .flatMap(known -> known.positionOf(facts.startPosition))
                .orElse(UNKNOWN);
        return new FunctionDescription(facts.name, script, facts.startPosition, position.line(), position.column());
    }

    private Script script(Facts facts) {
        return scripts.computeIfAbsent(
                facts.script,
                address -> new Script(
                        this, new ScriptLines(this, heap, strings, address), generation, address, facts.scriptName));
    }

    /** What is left of a function whose code V8 has dropped; null for a compiled function. */
    private @Nullable Long uncompiled(long function) throws HeapException {
        int[] fields = {
            layout.sharedFunctions().data(), layout.sharedFunctions().untrustedData()
        };
        for (int field : fields) {
            long word = field < 0 ? 0 : heap.word(function, field);
            if (HeapReader.isPointer(word)) {
                int type = heap.instanceType(word);
                if (type >= layout.types().firstUncompiledData()
                        && type <= layout.types().lastUncompiledData()) {
                    return word;
                }
            }
        }
        return null;
    }

    /** "" for undefined and for a Smi; anything else is not what it seems to be. */
    private String optionalString(long word) throws HeapException {
        if (HeapReader.isSmi(word)) {
            return "";
        }
        if (strings.isString(word)) {
            return strings.string(word, MAX_NAME_CHARACTERS);
        }
        heap.require(word, layout.types().oddball());
        return "";
    }

    /** The Script; 0 for a function that has none. */
    private long script(long function) throws HeapException {
        long script = heap.pointer(function, layout.sharedFunctions().script());
        int type = heap.instanceType(script);
        if (type == layout.types().debugInfo()) {
            script = heap.pointer(script, layout.sharedFunctions().debugInfoScript());
            type = heap.instanceType(script);
        }
        if (type == layout.types().oddball()) {
            return 0;
        }
        heap.require(script, layout.types().script());
        return script;
    }

    /** As Script::GetNameOrSourceURL (v8/src/objects/objects.cc). */
    private String scriptName(long script) throws HeapException {
        int[] fields = {layout.scripts().sourceUrl(), layout.scripts().name()};
        for (int field : fields) {
            long name = heap.word(script, field);
            if (strings.isString(name) && strings.length(name) > 0) {
                return strings.string(name, MAX_NAME_CHARACTERS);
            }
        }
        return "<anonymous>";
    }

    private static <T> Map<Long, T> bounded(int max) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, T> eldest) {
                return size() > max;
            }
        };
    }
}
