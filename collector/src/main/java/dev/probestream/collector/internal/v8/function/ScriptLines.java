package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.HeapStrings;
import dev.probestream.collector.internal.v8.layout.V8Layout.Scripts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lines of one script: by the line ends that V8 keeps once it has needed them, else counted in the source. */
final class ScriptLines {
    private static final int MAX_TRIES = 4;

    private final FunctionReader reader;
    private final HeapReader heap;
    private final HeapStrings strings;
    private final Scripts layout;
    private final long script;
    private @Nullable LineIndex counted;

    ScriptLines(FunctionReader reader, HeapReader heap, HeapStrings strings, long script) {
        this.reader = reader;
        this.heap = heap;
        this.strings = strings;
        this.layout = heap.layout().scripts();
        this.script = script;
    }

    int sourceLength() throws HeapException {
        return heap.agreed(() -> strings.length(source()));
    }

    SourcePosition positionOf(int position) throws HeapException {
        if (position < 0) {
            throw new HeapException(Reason.UNEXPECTED, "a position before the source");
        }
        LineIndex.Place place = placeOf(position);
        int line = 1 + place.line() + heap.smi(script, layout.lineOffset());
        int column = 1 + place.column() + (place.line() == 0 ? heap.smi(script, layout.columnOffset()) : 0);
        if (place.line() < 0 || place.column() < 0 || line < 1) {
            throw new HeapException(Reason.UNEXPECTED, "a position before the first line or column");
        }
        // A loader that wraps a source takes the wrapper's length off the columns of the first line.
        return new SourcePosition(line, Math.max(0, column));
    }

    private LineIndex.Place placeOf(int position) throws HeapException {
        Optional<LineIndex.Place> kept = counted == null ? heap.agreed(() -> byLineEnds(position)) : Optional.empty();
        if (kept.isPresent()) {
            return kept.get();
        }
        LineIndex index = counted == null ? count() : counted;
        counted = index;
        return heap.agreed(() -> index.placeOf(strings, source(), position));
    }

    private LineIndex count() throws HeapException {
        reader.spendOnLines(sourceLength());
        HeapException failure = new HeapException(Reason.UNEXPECTED, "a source that moves");
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                long source = source();
                LineIndex index = LineIndex.of(strings, source);
                heap.refresh();
                if (source() == source) {
                    return index;
                }
            } catch (HeapException e) {
                // Until a scavenge has ended, the script refers to where the source was.
                if (e.reason() == Reason.BUDGET) {
                    throw e;
                }
                failure = e;
                heap.awaitMove();
            }
        }
        throw failure;
    }

    private long source() throws HeapException {
        heap.require(script, heap.layout().types().script());
        return heap.pointer(script, layout.source());
    }

    /** Empty as long as V8 has not needed the line ends. */
    private Optional<LineIndex.Place> byLineEnds(int position) throws HeapException {
        heap.require(script, heap.layout().types().script());
        long lineEnds = heap.word(script, layout.lineEnds());
        if (!heap.is(lineEnds, heap.layout().types().fixedArray()) || heap.arrayLength(lineEnds) == 0) {
            return Optional.empty();
        }
        if (position > strings.length(source())) {
            throw new HeapException(Reason.UNEXPECTED, "a position behind the end of the source");
        }
        return Optional.of(search(lineEnds, heap.arrayLength(lineEnds), position));
    }

    /** As Script::GetPositionInfo (v8/src/objects/objects.cc): a line's end belongs to the line. */
    private LineIndex.Place search(long lineEnds, int count, int position) throws HeapException {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (end(lineEnds, middle) < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int start = low == 0 ? 0 : end(lineEnds, low - 1) + 1;
        return new LineIndex.Place(low, position - start);
    }

    private int end(long lineEnds, int index) throws HeapException {
        long word = heap.arrayElement(lineEnds, index);
        if (!HeapReader.isSmi(word)) {
            throw new HeapException(Reason.UNEXPECTED, "a line end that is no Smi");
        }
        return HeapReader.smi(word);
    }
}
