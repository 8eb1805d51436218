package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The open maps and the loaded programs of an {@link ObjectsSpec}. Owns them; not for use by several threads. */
public final class BpfObjects implements AutoCloseable {
    private final Map<String, BpfMap> maps = new LinkedHashMap<>();
    private final Map<String, BpfProgram> programs = new LinkedHashMap<>();
    /** One for each object, the last opened first. */
    private final Deque<Runnable> closers = new ArrayDeque<>();

    private BpfObjects() {}

    static BpfObjects load(ObjectsSpec spec, Map<String, BpfMap> others) {
        BpfObjects objects = new BpfObjects();
        Optional<FileDescriptor> types = FunctionTypes.load(spec.types());
        try {
            spec.maps().forEach(map -> objects.create(map, types));
            spec.values().forEach(objects::put);
            Map<String, BpfMap> all = new HashMap<>(others);
            all.putAll(objects.maps);
            spec.programs().forEach(program -> objects.load(program, all, types));
            return objects;
        } catch (RuntimeException e) {
            objects.close();
            throw e;
        } finally {
            // Maps and programs keep what they refer to.
            types.ifPresent(FileDescriptor::close);
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
     * Attaches a compiled program where the name of its section says: {@code tracepoint/CATEGORY/EVENT},
     * {@code raw_tp/EVENT}, {@code tp_btf/EVENT}, {@code uprobe/FILE:FUNCTION}, {@code fentry/FUNCTION} and their like.
     *
     * @param name of the program
     * @return the attachment; the caller closes it
     * @throws IOException if the tracepoint or the file cannot be read
     * @throws IllegalArgumentException when there is no such program, or its section does not say where
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public Link attach(String name) throws IOException {
        return SectionLink.attach(program(name));
    }

    /** {@return the maps by their names; they stay open until {@link #close}} */
    public Map<String, BpfMap> maps() {
        return Collections.unmodifiableMap(maps);
    }

    /** {@return the programs, in the order in which they were loaded} */
    public List<BpfProgram> programs() {
        return List.copyOf(programs.values());
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

    private void put(ObjectsSpec.InitialValue initial) {
        BpfMap map = map(initial.map());
        map.update(BpfMap.key(0), initial.value());
        if (initial.isFrozen()) {
            map.freeze();
        }
    }

    private void create(MapSpec spec, Optional<FileDescriptor> types) {
        BpfMap map = BpfMap.create(
                spec, types.map(btf -> OptionalInt.of(btf.number())).orElse(OptionalInt.empty()));
        maps.put(spec.name(), map);
        closers.push(map::close);
    }

    private void load(ProgramSpec spec, Map<String, BpfMap> all, Optional<FileDescriptor> types) {
        BpfProgram program = BpfProgram.load(spec, all, types);
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
