package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R10;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Numbers and pointers that lie near each other behind one argument, such as the fields of a structure, are copied to the
 * stack at once: each copy out of a process costs a call of the kernel. If the copy fails, none of them can be read.
 */
final class MemoryWindows {
    /** Fewer are read one by one. */
    private static final int MIN_FIELDS = 3;

    private static final int MAX_WINDOW_BYTES = 128;

    private final Assembler assembler;
    private final MemoryCode memory;
    private final Map<ArgumentSpec, Place> places = new HashMap<>();

    /**
     * Where a field stands on the stack.
     *
     * @param slot of the field
     * @param failedSlot 8 bytes that are 0 when the window could be read
     */
    record Place(int slot, int failedSlot) {}

    private record Base(int argument, long addend, Memory memory) {}

    MemoryWindows(Assembler assembler, MemoryCode memory) {
        this.assembler = assembler;
        this.memory = memory;
    }

    /**
     * Emits the copies for those of the arguments that lie together. May lose R0 to R5.
     *
     * @param roomBytes of the stack that they may take
     */
    void prepare(List<ArgumentSpec> arguments, ArgumentAccess access, PointerCode pointers, int roomBytes) {
        Map<Base, List<ArgumentSpec>> byBase = new LinkedHashMap<>();
        for (ArgumentSpec argument : arguments) {
            if (isField(argument)) {
                Base base = new Base(argument.source().number(), argument.addend(), access.memory(argument));
                byBase.computeIfAbsent(base, key -> new ArrayList<>()).add(argument);
            }
        }
        int room = roomBytes;
        for (Map.Entry<Base, List<ArgumentSpec>> entry : byBase.entrySet()) {
            for (List<ArgumentSpec> window : windows(entry.getValue())) {
                long from = Math.floorDiv(offset(window.get(0)), Long.BYTES) * Long.BYTES;
                int sizeBytes = (int) (end(window) - from);
                int neededBytes = sizeBytes + 2 * Long.BYTES;
                if (window.size() >= MIN_FIELDS && neededBytes <= room) {
                    room -= neededBytes;
                    copy(window, from, sizeBytes, entry.getKey().memory(), pointers);
                }
            }
        }
    }

    /** Where the argument stands, if it lies in a window. */
    Optional<Place> place(ArgumentSpec argument) {
        return Optional.ofNullable(places.get(argument));
    }

    /** Emits a jump that is taken when the window could not be read. May lose R0. */
    void jumpIfFailed(Place place, Label unreadable) {
        assembler.load(Width.DOUBLE_WORD, R0, R10, place.failedSlot());
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    private void copy(List<ArgumentSpec> window, long from, int sizeBytes, Memory whose, PointerCode pointers) {
        int slot = assembler.stackSlot((sizeBytes + 7) & -8);
        int failedSlot = assembler.stackSlot(Long.BYTES);
        Label failed = assembler.newLabel();
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, failedSlot, 1);
        MemoryCode.Load base = destination -> pointers.value(destination, window.get(0));
        memory.bytes(MemoryCode.plus(assembler, base, from), sizeBytes, whose, R10, slot, failed);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, failedSlot, 0);
        assembler.bind(failed);
        window.forEach(field -> places.put(field, new Place(slot + (int) (offset(field) - from), failedSlot)));
    }

    /** A number, or the pointer to a text, at an offset behind an argument that is a register. */
    private static boolean isField(ArgumentSpec argument) {
        boolean isRead = switch (argument.type().form()) {
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, STR -> true;
            case F32,
                    F64,
                    CHARS,
                    COUNTED,
                    UP_TO,
                    SOCKADDR,
                    PEER,
                    SOCKNAME,
                    UVSTREAM,
                    UVREADER,
                    HTTP2_HEADER,
                    DECLARED -> false;
        };
        return isRead
                && argument.source().kind() == ArgumentSource.Kind.ARGUMENT
                && argument.dereferenceOffsetsBytes().size() == 1
                && offset(argument) % sizeBytes(argument) == 0;
    }

    private static List<List<ArgumentSpec>> windows(List<ArgumentSpec> fields) {
        List<ArgumentSpec> sorted = new ArrayList<>(fields);
        sorted.sort(Comparator.comparingLong(MemoryWindows::offset));
        List<List<ArgumentSpec>> windows = new ArrayList<>();
        for (ArgumentSpec field : sorted) {
            List<ArgumentSpec> last = windows.isEmpty() ? List.of() : windows.get(windows.size() - 1);
            if (last.isEmpty() || offset(field) + sizeBytes(field) - offset(last.get(0)) > MAX_WINDOW_BYTES) {
                last = new ArrayList<>();
                windows.add(last);
            }
            last.add(field);
        }
        return windows;
    }

    private static long end(List<ArgumentSpec> window) {
        return window.stream()
                .mapToLong(field -> offset(field) + sizeBytes(field))
                .max()
                .orElseThrow();
    }

    private static long offset(ArgumentSpec argument) {
        return argument.dereferenceOffsetsBytes().get(0);
    }

    private static int sizeBytes(ArgumentSpec argument) {
        return argument.type().form() == ArgumentType.Form.STR
                ? Long.BYTES
                : argument.type().capacityBytes();
    }
}
