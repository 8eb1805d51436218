package dev.probestream.collector.internal.stack;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A map with a bounded number of entries. When full, it removes and disposes of the least recently used one. */
public final class LruCache<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int maxEntries;
    private final transient Consumer<V> dispose;

    public LruCache(int maxEntries, Consumer<V> dispose) {
        super(16, 0.75f, true);
        this.maxEntries = maxEntries;
        this.dispose = dispose;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        boolean isTooMany = size() > maxEntries;
        if (isTooMany) {
            dispose.accept(eldest.getValue());
        }
        return isTooMany;
    }
}
