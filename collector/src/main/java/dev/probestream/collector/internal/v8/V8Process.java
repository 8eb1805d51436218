package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.program.layout.V8ProcessLayout;
import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames.Named;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.schema.record.Frame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private Names current = new Names(-1, new HashMap<>());
    /** Of the counter before: hits from before a collection may arrive after it. */
    private Names previous = current;

    private record Names(long relocations, Map<FrameKey, Optional<List<Frame>>> frames) {}

    private record FrameKey(long pc, long sharedFunctionInfo, long word) {}

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
        Names names = names(entries.relocations(), isReadable);
        List<FrameKey> read = new ArrayList<>();
        List<List<Frame>> frames = new ArrayList<>(entries.count());
        int nameless = 0;
        for (int i = 0; i < entries.count(); i++) {
            FrameKey key = new FrameKey(entries.pc(i), entries.sharedFunctionInfo(i), entries.word(i));
            Optional<List<Frame>> known = names.frames().get(key);
            if (known == null && isReadable) {
                known = reader.frames(key.pc(), key.sharedFunctionInfo(), key.word());
                names.frames().put(key, known);
                read.add(key);
            }
            boolean isKnown = known != null && known.isPresent();
            nameless += isKnown ? 0 : 1;
            frames.add(isKnown ? known.get() : List.of());
        }
        Named named = isReadable
                ? reader.withLeaf(leaf, entries, frames)
                : new Named(List.of(), frames);
        if (isReadable && !isUnmoved(entries)) {
            names.frames().keySet().removeAll(read);
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

    private Names names(long relocationsAtHit, boolean isReadable) {
        if (current.relocations() == relocationsAtHit) {
            if (current.frames().size() >= MAX_NAMES) {
                current.frames().clear();
                reader.forget();
            }
            return current;
        }
        if (isReadable) {
            previous = current;
            current = new Names(relocationsAtHit, new HashMap<>());
            reader.forget();
            return current;
        }
        return previous.relocations() == relocationsAtHit ? previous : new Names(relocationsAtHit, Map.of());
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
