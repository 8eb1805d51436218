package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The functions of one symbol table by name. A function has code in the file and a size; imported symbols, labels and
 * markers are not functions.
 *
 * <p>The first searches compare the bytes of every name: under a millisecond for the 85,000 functions of Node. After
 * that all names are put into a hash table once, and a search looks at a few of them.
 */
final class FunctionNames {
    private static final int SEARCHES_WITHOUT_HASHES = 3;
    private static final int HASHED_BYTES = 20;

    private final SymbolTable table;
    /** The functions' indices in the table, ascending. */
    private final int[] functions;
    /** Where the name of each function starts. */
    private final int[] nameStarts;
    /** The hash table, made after the first searches. */
    private @Nullable Buckets buckets;

    private int searches;

    FunctionNames(SymbolTable table, LoadedCode code) throws ElfFormatException {
        this.table = table;
        int[] found = new int[table.count()];
        int[] starts = new int[table.count()];
        int count = 0;
        for (int index = 0; index < found.length; index++) {
            if (table.isCode(index) && table.sizeBytes(index) != 0 && code.covers(table.virtualAddress(index))) {
                starts[count] = table.nameStart(index);
                found[count++] = index;
            }
        }
        this.functions = Arrays.copyOf(found, count);
        this.nameStarts = Arrays.copyOf(starts, count);
    }

    int count() {
        return functions.length;
    }

    Iterable<ElfSymbol> all() {
        return () -> IntStream.range(0, functions.length)
                .mapToObj(i -> table.symbol(functions[i], nameStarts[i]))
                .iterator();
    }

    /** The functions of exactly this name, global and weak ones before local ones. */
    List<ElfSymbol> named(String name) {
        byte[] wanted = name.getBytes(UTF_8);
        byte[] strings = table.strings();
        Found found = new Found();
        if (++searches <= SEARCHES_WITHOUT_HASHES) {
            for (int i = 0; i < nameStarts.length; i++) {
                if (isNamed(strings, nameStarts[i], wanted)) {
                    found.add(i);
                }
            }
        } else {
            Buckets known = buckets();
            for (int i = known.first(hash(wanted, 0)); i >= 0; i = known.next[i]) {
                if (isNamed(strings, nameStarts[i], wanted)) {
                    found.add(i);
                }
            }
        }
        return found.symbols;
    }

    /** Puts global and weak functions before local ones. */
    private final class Found {
        private final List<ElfSymbol> symbols = new ArrayList<>();
        private int visible;

        void add(int function) {
            ElfSymbol symbol = table.symbol(functions[function], nameStarts[function]);
            symbols.add(symbol.isLocal() ? symbols.size() : visible++, symbol);
        }
    }

    List<ElfSymbol> matching(Matcher matcher) {
        List<ElfSymbol> found = new ArrayList<>();
        for (int i = 0; i < nameStarts.length; i++) {
            if (matcher.matches(table.strings(), nameStarts[i])) {
                found.add(table.symbol(functions[i], nameStarts[i]));
            }
        }
        return found;
    }

    private Buckets buckets() {
        if (buckets == null) {
            buckets = new Buckets(nameStarts.length);
            for (int i = nameStarts.length - 1; i >= 0; i--) {
                buckets.addFirst(hash(table.strings(), nameStarts[i]), i);
            }
        }
        return buckets;
    }

    /** The functions of each hash, ascending. */
    private static final class Buckets {
        private static final int NONE = -1;

        private final int[] firsts;
        private final int[] next;

        Buckets(int count) {
            this.firsts = new int[Math.max(1, Integer.highestOneBit(count)) * 2];
            this.next = new int[count];
            Arrays.fill(firsts, NONE);
        }

        void addFirst(int hash, int function) {
            int bucket = bucket(hash);
            next[function] = firsts[bucket];
            firsts[bucket] = function;
        }

        int first(int hash) {
            return firsts[bucket(hash)];
        }

        private int bucket(int hash) {
            return (hash ^ hash >>> 15) & (firsts.length - 1);
        }
    }

    /** Of the first bytes only: they distinguish C names, and mangled names are rarely searched for. */
    private static int hash(byte[] bytes, int start) {
        int hash = 0;
        int end = Math.min(start + HASHED_BYTES, bytes.length);
        for (int i = start; i < end && bytes[i] != 0 && bytes[i] != '@'; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    private static boolean isNamed(byte[] strings, int start, byte[] wanted) {
        int last = start + wanted.length;
        if (last >= strings.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (strings[start + i] != wanted[i]) {
                return false;
            }
        }
        return SymbolTable.nameEnd(strings, start) == last;
    }

    /** Selects names by their bytes in a string table, so that no String is made for the others. */
    interface Matcher {
        /** The name starts at {@code start} and ends at {@link SymbolTable#nameEnd}, which is seldom needed. */
        boolean matches(byte[] strings, int start);
    }
}
