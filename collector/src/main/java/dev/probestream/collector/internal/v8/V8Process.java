package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames.Named;
import dev.probestream.collector.internal.v8.ReadNames.FrameKey;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.schema.record.Frame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The names of the JavaScript frames of one process. What a frame refers to stays where it is until a collection moves
 * objects; our probes count the begins and ends of such collections ({@link V8ProcessLayout}). So a name is right if the
 * counter shows none that is running and is the same at the hit and after the memory was read. A name that was read once is right for all hits
 * with the same counter.
 */
final class V8Process implements AutoCloseable {
    /** Bounds the memory of the names, of about 300 bytes each; when it is reached, they are read again. */
    private static final int MAX_NAMES = 1 << 14;

    private final ProcessMemory memory;
    private final FrameReader reader;
    private final LongSupplier relocations;
    private final UnnamedFrames unnamed;
    private ReadNames current = new ReadNames(-1);
    /** Of the counter before: hits from before a collection may arrive after it. */
    private ReadNames previous = current;

    /**
     * @param memory closed with this object
     * @param reader reads it
     * @param relocations returns the counter now; negative if the process has ended
     * @param unnamed counts the frames without a name
     */
    V8Process(ProcessMemory memory, FrameReader reader, LongSupplier relocations, UnnamedFrames unnamed) {
        this.memory = memory;
        this.reader = reader;
        this.relocations = relocations;
        this.unnamed = unnamed;
    }

    /** As {@link dev.probestream.collector.internal.stack.JavaScriptNames#named}. */
    Named named(long leaf, JavaScriptEntries entries) {
        boolean isReadable = isUnmoved(entries);
        ReadNames names = names(entries.relocations(), isReadable);
        List<FrameKey> read = new ArrayList<>();
        List<List<Frame>> frames = new ArrayList<>(entries.count());
        int nameless = 0;
        for (int i = 0; i < entries.count(); i++) {
            FrameKey key = new FrameKey(entries.pc(i), entries.sharedFunctionInfo(i), entries.word(i));
            if (isReadable && !names.has(key)) {
                names.put(key, reader.frames(key.pc(), key.sharedFunctionInfo(), key.word()));
                read.add(key);
            }
            Optional<List<Frame>> known = names.of(key);
            nameless += known.isPresent() ? 0 : 1;
            frames.add(known.orElse(List.of()));
        }
        Named named = isReadable ? reader.withLeaf(leaf, entries, frames) : new Named(List.of(), frames);
        if (isReadable && !isUnmoved(entries)) {
            read.forEach(names::remove);
            unnamed.add(UnnamedReason.MOVED, frames.size());
            return Named.NOTHING;
        }
        unnamed.addNamed(frames.size() - nameless);
        unnamed.add(isReadable ? UnnamedReason.NOT_A_FUNCTION : reasonWithoutReading(), nameless);
        return named;
    }

    private boolean isUnmoved(JavaScriptEntries entries) {
        return !V8ProcessLayout.isMoving(entries.relocations()) && relocations.getAsLong() == entries.relocations();
    }

    private UnnamedReason reasonWithoutReading() {
        return relocations.getAsLong() < 0 ? UnnamedReason.NO_MEMORY : UnnamedReason.MOVED;
    }

    private ReadNames names(long relocationsAtHit, boolean isReadable) {
        if (current.relocations() == relocationsAtHit) {
            if (current.size() >= MAX_NAMES) {
                current.clear();
                reader.forget();
            }
            return current;
        }
        if (isReadable) {
            previous = current;
            current = new ReadNames(relocationsAtHit);
            reader.forget();
            return current;
        }
        return previous.relocations() == relocationsAtHit ? previous : whileMoving(relocationsAtHit);
    }

    /**
     * Names for a hit while objects move. What was at an address before the collection is not replaced by another object until
     * it has ended: V8 frees memory only then (Heap::MarkCompact, v8/src/heap/heap.cc). So the names from before are right.
     */
    private ReadNames whileMoving(long relocationsAtHit) {
        if (current.isJustBefore(relocationsAtHit)) {
            return current;
        }
        return previous.isJustBefore(relocationsAtHit) ? previous : new ReadNames(relocationsAtHit);
    }

    @Override
    public void close() {
        try {
            memory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
