package dev.probestream.convert.shape;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers distinct names from 0, in the order of their first use, so that a writer can intern them by index. */
public final class NameTable {
    private final Map<String, Integer> indexes = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    public NameTable() {}

    public int add(String name) {
        return indexes.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        });
    }

    public String name(int index) {
        return names.get(index);
    }

    public int size() {
        return names.size();
    }
}
