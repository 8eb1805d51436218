package dev.probestream.bpf.elf;

import java.util.Arrays;
import java.util.Optional;

/**
 * The functions of one symbol table by virtual address. Of several names for one address a global one wins over a weak
 * over a local one, then one with fewer leading underscores, then the first in the table. A symbol without a size
 * (written in assembly) reaches to the next symbol.
 */
final class FunctionAddresses {
    /** How many symbols before an address are checked for covering it: functions may be nested. */
    private static final int MAX_NESTING = 8;

    private final SymbolTable table;
    /** Ascending, without repetition. */
    private final long[] starts;
    /** The index in the table of the best symbol at each start. */
    private final int[] symbols;

    FunctionAddresses(SymbolTable table, LoadedCode code) throws ElfFormatException {
        this.table = table;
        int[] found = new int[table.count()];
        long[] addresses = new long[table.count()];
        int count = 0;
        for (int index = 0; index < found.length; index++) {
            if (table.isCode(index) && code.covers(table.virtualAddress(index))) {
                addresses[count] = table.virtualAddress(index);
                found[count++] = index;
            }
        }
        this.starts = sortedDistinct(Arrays.copyOf(addresses, count));
        this.symbols = new int[starts.length];
        Arrays.fill(symbols, -1);
        for (int i = 0; i < count; i++) {
            int at = Arrays.binarySearch(starts, addresses[i]);
            if (symbols[at] < 0 || rank(found[i]) < rank(symbols[at])) {
                symbols[at] = found[i];
            }
        }
    }

    Optional<ElfSymbol> covering(long virtualAddress) throws ElfFormatException {
        int at = Arrays.binarySearch(starts, virtualAddress);
        int last = at >= 0 ? at : -at - 2;
        for (int i = last; i >= 0 && i > last - MAX_NESTING; i--) {
            long size = table.sizeBytes(symbols[i]);
            if (size == 0 ? i == last : virtualAddress - starts[i] < size) {
                return Optional.of(table.symbol(symbols[i], table.nameStart(symbols[i])));
            }
        }
        return Optional.empty();
    }

    private static long[] sortedDistinct(long[] addresses) {
        Arrays.sort(addresses);
        int kept = 0;
        for (int i = 0; i < addresses.length; i++) {
            if (i == 0 || addresses[i] != addresses[i - 1]) {
                addresses[kept++] = addresses[i];
            }
        }
        return Arrays.copyOf(addresses, kept);
    }

    /** The lower, the better. */
    private int rank(int index) throws ElfFormatException {
        int binding = table.isGlobal(index) ? 0 : table.isLocal(index) ? 2 : 1;
        int underscores = 0;
        for (int at = table.nameStart(index); table.strings()[at] == '_' && underscores < 3; at++) {
            underscores++;
        }
        return (table.sizeBytes(index) == 0 ? 100 : 0) + binding * 10 + underscores;
    }
}
