package dev.probestream.collector.internal.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/** What names of prepared statements lead to; the least recently used one is removed first. */
public final class RecentNames<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private static final int MAX_NAMES = 1000;
    private static final float LOAD_FACTOR = 0.75f;
    private static final int FIRST_CAPACITY = 16;

    public RecentNames() {
        super(FIRST_CAPACITY, LOAD_FACTOR, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MAX_NAMES;
    }
}
