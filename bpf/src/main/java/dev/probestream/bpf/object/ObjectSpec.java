package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.LoadableBtf;
import dev.probestream.bpf.elf.RelocatableFile.Symbol;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSection;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * An object before it is loaded: its variables and the sizes of its maps can be set, and programs left out. It may be loaded
 * several times, each time into new maps. For one thread.
 */
public final class ObjectSpec {
    private final ObjectContents object;
    private final Map<String, ObjectFunction> programs = new LinkedHashMap<>();
    private final Map<String, ProgramSection> sections = new HashMap<>();
    private final Set<String> wanted = new LinkedHashSet<>();
    private final Map<String, Integer> maxEntries = new HashMap<>();
    private final Map<String, Integer> valueSizes = new HashMap<>();
    private final Map<String, ByteBuffer> contents = new LinkedHashMap<>();
    private final Map<String, ObjectVariable> variables = new LinkedHashMap<>();

    ObjectSpec(ObjectContents object) throws IOException {
        this.object = object;
        for (ObjectFunction function : object.functions()) {
            if (function.program().isPresent()) {
                programs.put(function.name(), function);
                sections.put(function.name(), function.program().get());
                if (function.isWanted()) {
                    wanted.add(function.name());
                }
            }
        }
        Map<String, Symbol> symbols = new HashMap<>();
        for (Symbol symbol : object.elf().symbols()) {
            symbols.put(symbol.section() + " " + symbol.name(), symbol);
        }
        for (DataSection section : object.data()) {
            ByteBuffer bytes = ByteBuffer.allocate(section.initial().capacity()).order(ByteOrder.LITTLE_ENDIAN);
            bytes.put(0, section.initial(), 0, bytes.capacity());
            contents.put(section.name(), bytes);
            addVariables(section, bytes, symbols);
        }
    }

    private void addVariables(DataSection section, ByteBuffer bytes, Map<String, Symbol> symbols) throws IOException {
        BtfFile btf = object.btf();
        for (int i = 0; section.typeId() != 0 && i < btf.memberCount(section.typeId()); i++) {
            int id = btf.variableId(section.typeId(), i);
            Symbol symbol = symbols.get(section.section() + " " + btf.name(id));
            // clang gives a static variable of a function another symbol.
            if (symbol != null) {
                long size = btf.storageBytes(btf.referredId(id));
                if (symbol.value() < 0 || symbol.value() > bytes.capacity() - size) {
                    throw object.malformed(
                            section.section(), symbol.value(), "variable " + btf.name(id) + " is not inside of it");
                }
                variables.put(btf.name(id), ObjectVariable.of(btf, id, section, (int) symbol.value(), bytes));
            }
        }
    }

    /** {@return the names of all programs, those too that are not loaded unless they are included} */
    public Set<String> programs() {
        return Set.copyOf(programs.keySet());
    }

    /**
     * {@return what the section of a program says}
     *
     * @param program its name
     * @throws IllegalArgumentException when there is no such program
     */
    public ProgramSection section(String program) {
        return Objects.requireNonNull(sections.get(requireProgram(program)));
    }

    /** {@return the names of the maps that the object declares, without those of its variables} */
    public List<String> maps() {
        return object.maps().stream().map(MapDefinition::name).toList();
    }

    /** {@return the variables by their names} */
    public Map<String, ObjectVariable> variables() {
        return Map.copyOf(variables);
    }

    /**
     * {@return a global variable, or a static one outside of functions}
     *
     * @param name its name in C
     * @throws IllegalArgumentException when there is no such variable
     */
    public ObjectVariable variable(String name) {
        ObjectVariable variable = variables.get(name);
        if (variable == null) {
            throw new IllegalArgumentException(
                    object.file() + " has no variable " + name + ", only " + variables.keySet());
        }
        return variable;
    }

    /**
     * Sets how many keys a map has room for, or the size of a ring buffer in bytes.
     *
     * @param map its name
     * @param entries how many, instead of what the object declares
     * @throws IllegalArgumentException when there is no such map
     */
    public void setMaxEntries(String map, int entries) {
        maxEntries.put(requireMap(map), entries);
    }

    /**
     * Sets the size of a map's values, such as those of a STACK_TRACE map: eight bytes for each frame.
     *
     * @param map its name
     * @param valueSizeBytes how many, instead of what the object declares
     * @throws IllegalArgumentException when there is no such map
     */
    public void setValueSize(String map, int valueSizeBytes) {
        valueSizes.put(requireMap(map), valueSizeBytes);
    }

    /**
     * Leaves a program out.
     *
     * @param program its name
     * @throws IllegalArgumentException when there is no such program
     */
    public void exclude(String program) {
        wanted.remove(requireProgram(program));
    }

    /**
     * Loads a program that would not be loaded, because its section's name begins with a question mark.
     *
     * @param program its name
     * @throws IllegalArgumentException when there is no such program
     */
    public void include(String program) {
        wanted.add(requireProgram(program));
    }

    /**
     * Attaches a program to something else of the same kind than its section says, such as another kernel function.
     *
     * @param program its name
     * @param target what follows the slash in the name of a section
     * @throws IllegalArgumentException when there is no such program
     */
    public void attachTo(String program, String target) {
        ProgramSection old = section(program);
        String prefix = old.name().split("/", 2)[0];
        sections.put(
                program,
                new ProgramSection(
                        prefix + "/" + target, old.type(), old.attachType(), old.isSleepable(), target, old.kind()));
    }

    /**
     * Loads the maps and programs into this kernel. Nothing is attached.
     *
     * @return the maps and programs; the caller closes them
     * @throws BpfObjectException when the object needs what is not supported, or what this kernel lacks
     * @throws dev.probestream.bpf.kernel.VerifierException when the verifier rejects a program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses a map or a program
     * @throws IOException when the kernel's types cannot be read
     */
    public BpfObjects load() throws IOException {
        return resolve(KernelFacts.ofThisKernel()).load();
    }

    /**
     * {@return the maps and programs for a kernel, with all relocations applied}
     *
     * @param kernel the one that will load them
     * @throws BpfObjectException when the object needs what is not supported, or what the kernel lacks
     */
    public ObjectsSpec resolve(KernelFacts kernel) throws BpfObjectException {
        return described(() -> {
            ObjectLinker linker = new ObjectLinker(object, kernel);
            List<ProgramSpec> linked = new ArrayList<>();
            for (ObjectFunction program : programs.values()) {
                if (wanted.contains(program.name())) {
                    linked.add(linker.link(program, section(program.name())));
                }
            }
            List<MapSpec> maps = new ArrayList<>();
            List<ObjectsSpec.InitialValue> values = new ArrayList<>();
            for (MapDefinition map : object.maps()) {
                maps.add(map(map, kernel.cpuCount()));
            }
            for (DataSection section : object.data()) {
                maps.add(section.map());
                ByteBuffer value = Objects.requireNonNull(contents.get(section.name()));
                values.add(new ObjectsSpec.InitialValue(section.name(), copy(value), section.isConstant()));
            }
            if (linker.usesKernelVersion()) {
                int flags = MapSpec.BPF_F_RDONLY_PROG;
                maps.add(new MapSpec(ReferencedSymbols.KCONFIG, MapType.ARRAY, 4, Integer.BYTES, 1, flags));
                values.add(new ObjectsSpec.InitialValue(ReferencedSymbols.KCONFIG, version(kernel), true));
            }
            return new ObjectsSpec(maps, linked, values, types());
        });
    }

    /**
     * {@return assembled programs linked with those functions of this object that they call (see {@link
     * dev.probestream.bpf.asm.Assembler#callFunction}); the others are as they were}
     *
     * <p>Maps that the functions use are those of the same names that the programs are loaded with: the object's own
     * declarations are not used. Functions must be of hidden visibility, or the verifier looks at each without its callers
     * (BTF_FUNC_GLOBAL), and use no variables.
     *
     * @param assembled maps and programs without types
     * @param standIn a function of the object: its type and its first line are those of the assembled instructions, as the
     *     kernel wants records of all functions of a program or of none
     * @param kernel the one that will load them
     * @throws BpfObjectException when the object has no such function, needs what is not supported, or what the kernel
     *     lacks
     */
    public ObjectsSpec link(ObjectsSpec assembled, String standIn, KernelFacts kernel) throws BpfObjectException {
        if (!object.data().isEmpty()) {
            throw new BpfObjectException(
                    object.file(), object.data().get(0).name(), 0, "functions to be linked can have no variables");
        }
        return described(() -> {
            ObjectLinker linker = new ObjectLinker(object, kernel);
            List<ProgramSpec> linked = new ArrayList<>();
            for (ProgramSpec program : assembled.programs()) {
                linked.add(linker.link(program, standIn));
            }
            return new ObjectsSpec(assembled.maps(), linked, assembled.values(), types());
        });
    }

    private interface Linking {
        ObjectsSpec link() throws IOException;
    }

    private ObjectsSpec described(Linking linking) throws BpfObjectException {
        try {
            return linking.link();
        } catch (BpfObjectException e) {
            throw e;
        } catch (BtfFormatException e) {
            throw new BpfObjectException(object.file(), ".BTF", e.offsetInFile(), String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new BpfObjectException(object.file(), "", 0, String.valueOf(e.getMessage()), e);
        }
    }

    private MapSpec map(MapDefinition map, int cpuCount) throws BpfObjectException {
        try {
            return map.spec(maxEntries.get(map.name()), valueSizes.get(map.name()), cpuCount);
        } catch (IllegalArgumentException e) {
            throw new BpfObjectException(
                    object.file(), MapDefinition.SECTION, map.offset(), String.valueOf(e.getMessage()));
        }
    }

    private List<ByteBuffer> types() throws IOException {
        LoadableBtf.Layout layout = object.layout();
        return List.of(
                ByteBuffer.wrap(LoadableBtf.of(object.btf(), layout, false)),
                ByteBuffer.wrap(LoadableBtf.of(object.btf(), layout, true)));
    }

    private static ByteBuffer version(KernelFacts kernel) {
        return ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, kernel.version());
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.capacity()).put(0, bytes, 0, bytes.capacity());
    }

    private String requireMap(String name) {
        if (!maps().contains(name)) {
            throw new IllegalArgumentException(object.file() + " has no map " + name + ", only " + maps());
        }
        return name;
    }

    private String requireProgram(String name) {
        if (!programs.containsKey(name)) {
            throw new IllegalArgumentException(
                    object.file() + " has no program " + name + ", only " + programs.keySet());
        }
        return name;
    }
}
