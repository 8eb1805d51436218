package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8Layout.Scopes;

/**
 * What the ScopeInfo of a function contains: the words that name it; which words there are depends on the flags (drawn
 * in {@code UnlistedFields}). Each is a tagged word, or 0 if this ScopeInfo does not have it.
 *
 * @param functionName String or the Smi 0
 * @param inferredName String or undefined
 * @param startPosition in the source; -1 if it is not here
 */
record FunctionScope(long functionName, long inferredName, int startPosition) {
    private static final int WORD_BYTES = 8;
    /** More locals than a function can have (Code::kMaxArguments and the parser's limits are below). */
    private static final int MAX_LOCALS = 1 << 20;

    static FunctionScope read(HeapReader heap, long scopeInfo) throws HeapException {
        Scopes layout = heap.layout().scopes();
        heap.require(scopeInfo, heap.layout().types().scopeInfo());
        return new Words(heap, scopeInfo, layout).read();
    }

    /** Walks over the words. */
    private static final class Words {
        private final HeapReader heap;
        private final long scopeInfo;
        private final Scopes layout;
        private final int flags;
        private int slot;

        Words(HeapReader heap, long scopeInfo, Scopes layout) throws HeapException {
            this.heap = heap;
            this.scopeInfo = scopeInfo;
            this.layout = layout;
            long word = heap.word(scopeInfo, layout.firstSlot());
            // A Smi until 12.x, then 32 bits and padding.
            this.flags = HeapReader.isSmi(word) ? HeapReader.smi(word) : (int) word;
        }

        FunctionScope read() throws HeapException {
            slot = layout.firstVariableSlot();
            skipVariables();
            long functionName = 0;
            if (bits(layout.flagBits().functionVariable(), 3) != 0) {
                functionName = word(slot);
                slot += 2;
            }
            long inferredName = 0;
            if (bits(layout.flagBits().hasInferredFunctionName(), 1) != 0) {
                inferredName = word(slot++);
            }
            int start = -1;
            if (layout.hasPositionsInHeader()) {
                start = smi(layout.firstVariableSlot() - 2);
            } else if ((layout.flagBits().hasPositions() >>> scopeType() & 1) != 0) {
                start = smi(slot);
            }
            return new FunctionScope(functionName, inferredName, start);
        }

        private void skipVariables() throws HeapException {
            int locals = smi(layout.localCountSlot());
            if (locals < 0 || locals > MAX_LOCALS) {
                throw new HeapException(Reason.UNEXPECTED, "a scope of " + locals + " locals");
            }
            if (scopeType() == layout.moduleScopeType()) {
                slot++;
            }
            slot += locals < layout.maxInlinedLocals() ? locals : 1;
            slot += locals;
            if (bits(layout.flagBits().hasSavedClassVariable(), 1) != 0) {
                slot++;
            }
        }

        private int scopeType() {
            return bits(layout.flagBits().scopeType(), 0xf);
        }

        private int bits(int first, int mask) {
            return flags >>> first & mask;
        }

        private long word(int index) throws HeapException {
            return heap.word(scopeInfo, layout.firstSlot() + WORD_BYTES * index);
        }

        private int smi(int index) throws HeapException {
            return heap.smi(scopeInfo, layout.firstSlot() + WORD_BYTES * index);
        }
    }
}
