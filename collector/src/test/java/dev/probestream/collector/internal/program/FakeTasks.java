package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Structures of the kernel that a test fills: they lie in the value of a map, and functions in C read them at their addresses.
 * What the kernel names task_struct.tgid is put where this kernel has it.
 */
final class FakeTasks {
    private static final String MAP = "fake_tasks";
    private static final String ADDRESS_MAP = "fake_address";
    private static final String ADDRESS_PROGRAM = "fake_address";

    /** More than of a task_struct is read. */
    private static final int SIZE_BYTES = 16_384;

    private static final int COUNT = 4;

    private final BpfMap tasks;
    private final BtfFile types;
    private final long firstAddress;

    /** @param objects with {@link #maps} and {@link #program} */
    FakeTasks(BpfObjects objects, BtfFile types) {
        this.tasks = objects.map(MAP);
        this.types = types;
        TestRun.run(objects.program(ADDRESS_PROGRAM));
        this.firstAddress = objects.map(ADDRESS_MAP)
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    static List<MapSpec> maps() {
        return List.of(MapSpec.array(MAP, SIZE_BYTES * COUNT, 1), MapSpec.array(ADDRESS_MAP, Long.BYTES, 1));
    }

    /** Writes the address of the first one into a map. */
    static ProgramSpec program() {
        Assembler assembler = new Assembler().loadMapValue(R2, MAP).loadMapValue(R1, ADDRESS_MAP);
        return TestRun.spec(
                ADDRESS_PROGRAM,
                assembler.store(Width.DOUBLE_WORD, R1, 0, R2).mov(R0, 0).exit());
    }

    /** Where the kernel has the structure of this number. */
    long address(int index) {
        return firstAddress + (long) index * SIZE_BYTES;
    }

    /** Puts a number of 4 or 8 bytes into a field. */
    void put(int index, String path, long number) throws Exception {
        FieldPath field = FieldPath.resolve(types, path);
        int offset = index * SIZE_BYTES + Math.toIntExact(field.offsetBytes());
        ByteBuffer value = value();
        if (field.sizeBytes() == Integer.BYTES) {
            value.putInt(offset, (int) number);
        } else {
            value.putLong(offset, number);
        }
        tasks.update(BpfMap.key(0), value);
    }

    /** Puts a name of up to 16 bytes into the task. */
    void name(int index, String comm) throws Exception {
        long offset = FieldPath.resolve(types, "task_struct.comm").offsetBytes();
        ByteBuffer value = value();
        value.put(index * SIZE_BYTES + Math.toIntExact(offset), comm.getBytes(StandardCharsets.ISO_8859_1));
        tasks.update(BpfMap.key(0), value);
    }

    /** Puts text and a NUL at the beginning of the structure. */
    void text(int index, String text) {
        ByteBuffer value = value();
        value.put(index * SIZE_BYTES, (text + '\0').getBytes(StandardCharsets.ISO_8859_1));
        tasks.update(BpfMap.key(0), value);
    }

    private ByteBuffer value() {
        return tasks.lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }
}
