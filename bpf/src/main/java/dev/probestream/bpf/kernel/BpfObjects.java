package dev.probestream.bpf.kernel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The open maps and the loaded programs of an {@link ObjectsSpec}. Owns them; not for use by several threads. */
public final class BpfObjects implements AutoCloseable {
    private final Map<String, BpfMap> maps = new LinkedHashMap<>();
    private final Map<String, BpfProgram> programs = new LinkedHashMap<>();
    /** One for each object, the last opened first. */
    private final Deque<Runnable> closers = new ArrayDeque<>();

    private BpfObjects() {}

    static BpfObjects load(ObjectsSpec spec) {
        BpfObjects objects = new BpfObjects();
        try {
            spec.maps().forEach(objects::create);
            spec.programs().forEach(objects::load);
            return objects;
        } catch (RuntimeException e) {
            objects.close();
            throw e;
        }
    }

    /**
     * {@return the map with this name, which stays open until {@link #close}}
     *
     * @param name its name
     * @throws IllegalArgumentException when the spec has no such map
     */
    public BpfMap map(String name) {
        return named(name, "map", maps);
    }

    /**
     * {@return the program with this name, which stays loaded until {@link #close}; attach it to make it run}
     *
     * @param name its name
     * @throws IllegalArgumentException when the spec has no such program
     */
    public BpfProgram program(String name) {
        return named(name, "program", programs);
    }

    /**
     * Closes the programs and the maps in reverse order; a second time does nothing. A link keeps its program and that
     * program's maps in the kernel until the link is closed too.
     */
    @Override
    public void close() {
        @Nullable RuntimeException first = null;
        while (!closers.isEmpty()) {
            try {
                closers.pop().run();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void create(MapSpec spec) {
        BpfMap map = BpfMap.create(spec);
        maps.put(spec.name(), map);
        closers.push(map::close);
    }

    private void load(ProgramSpec spec) {
        BpfProgram program = BpfProgram.load(spec, maps);
        programs.put(spec.name(), program);
        closers.push(program::close);
    }

    private static <T> T named(String name, String what, Map<String, T> objects) {
        T object = objects.get(name);
        if (object == null) {
            throw new IllegalArgumentException("there is no " + what + " " + name + ", only " + objects.keySet());
        }
        return object;
    }
}
