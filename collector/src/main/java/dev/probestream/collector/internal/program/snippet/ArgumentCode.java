package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.options.KernelOffsets;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Readability;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Emits the code that reads one argument and writes it into its slot; what cannot be read sets its bit in R8. */
public final class ArgumentCode {
    private static final ArgumentSpec RETURNED = ArgumentSpec.of("ret", ArgumentSource.RETURN_VALUE, ArgumentType.S64);

    private final Assembler assembler;
    private final ContextAccess access;
    private final boolean maySleep;
    private final MemoryCode memory;
    private final PointerCode pointers;
    private final MemoryWindows windows;
    private final LoopStreamCode streams;
    private final boolean readsSockets;
    /** What {@link FieldGroup}s are read to; 0 = none was needed yet. */
    private int groupSlot;

    private @Nullable Http2HeaderCode http2Headers;

    private @Nullable AddressCode addresses;

    /**
     * @param maySleep whether the program is sleepable, so that user memory that is not resident can be fetched
     * @param kernel offsets in the kernel's structures
     */
    public ArgumentCode(Assembler assembler, ArgumentAccess access, boolean maySleep, KernelOffsets kernel) {
        this.assembler = assembler;
        this.access = new ContextAccess(assembler, access, kernel.thread());
        this.readsSockets = kernel.readsSockets();
        this.maySleep = maySleep;
        this.memory = new MemoryCode(assembler, maySleep);
        this.pointers = new PointerCode(assembler, this.access, memory);
        this.windows = new MemoryWindows(assembler, memory);
        this.streams = new LoopStreamCode(assembler, this.access, pointers);
    }

    /**
     * Sets whose async context is read, before anything is prepared.
     *
     * @param threadSlot where on the stack the running thread's ids stand, tid first
     */
    public void ofThread(int threadSlot) {
        access.ofThread(threadSlot);
    }

    /** Leaves out hits that are none of the probe's, before anything else is read. The program's context is in R6. May lose R0 to R5. */
    public void rejectOthers(Label other) {
        access.rejectOthers(other);
    }

    /** Does what must be done once before these arguments are read. May lose R0 to R5. */
    public void prepare(List<ArgumentSpec> arguments) {
        List<ArgumentSpec> sources = new ArrayList<>();
        arguments.forEach(argument -> sources.addAll(sources(argument)));
        access.prepare(sources);
        streams.prepare(arguments);
        if (readsSockets) {
            addresses().prepare(arguments);
        }
    }

    /**
     * The same for arguments that are read next, unless the argument is changed meanwhile: what lies together is copied to the
     * stack at once.
     *
     * @param roomBytes of the stack that the copies may take
     */
    public void prepare(List<ArgumentSpec> arguments, int roomBytes) {
        prepare(arguments);
        windows.prepare(
                arguments.stream()
                        .filter(argument -> access.readability(argument) == Readability.ALWAYS)
                        .toList(),
                access,
                pointers,
                Math.max(0, roomBytes - access.stackBytes(arguments)));
    }

    /** The argument itself and the one that holds its length or its end, if it has one. */
    public static List<ArgumentSpec> sources(ArgumentSpec argument) {
        return argument.type().boundArgument() == 0
                ? List.of(argument)
                : List.of(argument, PointerCode.bound(argument));
    }

    /**
     * Reads all arguments but those at return into their slots of what lies at {@code base + baseOffset}: fields of one
     * structure together, as far as they can be read together.
     */
    public void readAll(List<ArgumentSpec> arguments, List<ArgumentSlot> slots, Register base, int baseOffset) {
        List<Integer> single =
                new ArrayList<>(IntStream.range(0, arguments.size()).boxed().toList());
        for (FieldGroup group : FieldGroup.of(arguments, access)) {
            single.removeAll(group.indexes());
            group(group, arguments, slots, base, baseOffset);
        }
        single.removeIf(i -> arguments.get(i).atReturn());
        single.forEach(i -> read(arguments.get(i), i, slots.get(i), base, baseOffset));
    }

    private void group(
            FieldGroup group, List<ArgumentSpec> arguments, List<ArgumentSlot> slots, Register base, int baseOffset) {
        groupSlot = groupSlot == 0 ? assembler.stackSlot(FieldGroup.MAX_BYTES) : groupSlot;
        Label apart = assembler.newLabel();
        Label done = assembler.newLabel();
        ArgumentSpec first = arguments.get(group.indexes().get(0));
        MemoryCode.Load from = pointers.addressAt(first, group.fromOffsetBytes(), apart);
        memory.bytes(from, group.sizeBytes(), access.memory(first), R10, groupSlot, apart);
        for (int i : group.indexes()) {
            ArgumentSpec argument = arguments.get(i);
            int place = groupSlot + Math.toIntExact(FieldGroup.last(argument) - group.fromOffsetBytes());
            assembler.load(width(argument.type()), R1, R10, place);
            if (argument.type().isSigned()) {
                extend(assembler, R1, argument.type());
            }
            assembler.store(Width.DOUBLE_WORD, base, baseOffset + slots.get(i).offset(), R1);
        }
        assembler.jump(done);
        assembler.bind(apart);
        group.indexes().forEach(i -> read(arguments.get(i), i, slots.get(i), base, baseOffset));
        assembler.bind(done);
    }

    /**
     * Reads the argument into its slot of what lies at {@code base + baseOffset}.
     *
     * @param index of the argument: the bit that means it could not be read
     */
    public void read(ArgumentSpec argument, int index, ArgumentSlot slot, Register base, int baseOffset) {
        read(argument, 1L << index, base, baseOffset + slot.offset());
    }

    /**
     * Keeps what an argument is now for when its function returns.
     *
     * @param bits of the arguments that cannot be read then if it cannot be kept
     */
    public void save(ArgumentSpec argument, long bits, Register base, int offset) {
        read(argument, bits, base, offset);
    }

    private void read(ArgumentSpec argument, long bits, Register base, int offset) {
        if (!isEverReadable(argument)) {
            missing(bits, base, offset);
            return;
        }
        Label unreadable = assembler.newLabel();
        into(argument, base, offset, unreadable);
        // The verifier takes no code that nothing leads to.
        if (assembler.isAimedAt(unreadable)) {
            Label done = assembler.newLabel();
            assembler.jump(done);
            assembler.bind(unreadable);
            missing(bits, base, offset);
            assembler.bind(done);
        }
    }

    /** Loads the argument as the hit has it, in all its bits: nothing is read by its address. It is one that was prepared. */
    public void loadPlain(Register destination, ArgumentSpec argument) {
        access.load(destination, argument);
    }

    /** Loads what was returned, in all its bits. */
    public void loadReturned(Register destination) {
        access.load(destination, RETURNED);
    }

    /** Whether any hit can have it; if not, nothing may be emitted that reads it. */
    boolean isEverReadable(ArgumentSpec argument) {
        Form form = argument.type().form();
        return (readsSockets || !form.isSocketEnd())
                && (access.findsThreads() || !form.isOfLoop())
                && sources(argument).stream().noneMatch(source -> access.readability(source) == Readability.NEVER);
    }

    /** Reads it to {@code base + offset} as {@link ArgumentSlot} draws it, or jumps. May lose R0 to R5. */
    void into(ArgumentSpec argument, Register base, int offset, Label unreadable) {
        rejectUnread(argument, unreadable);
        switch (argument.type().form()) {
            case STR -> {
                MemoryCode.Load text = text(argument, unreadable);
                int sizeBytes = ArgumentSlot.readSizeBytes(argument.type());
                memory.string(
                        text, sizeBytes, access.memory(argument), base, offset + ArgumentSlot.TEXT_OFFSET, unreadable);
                assembler.store(Width.WORD, base, offset, R0);
            }
            case COUNTED, UP_TO -> text(pointers.counted(argument, unreadable), argument, base, offset, unreadable);
            case HTTP2_HEADER -> text(http2Headers().find(argument, unreadable), argument, base, offset, unreadable);
            case CHARS -> {
                MemoryCode.Load address = pointers.address(argument, unreadable);
                memory.bytes(
                        address, argument.type().capacityBytes(), access.memory(argument), base, offset, unreadable);
            }
            case SOCKADDR -> addresses().sockaddr(argument, base, offset, unreadable);
            case PEER -> addresses().end(argument, true, base, offset, unreadable);
            case SOCKNAME -> addresses().end(argument, false, base, offset, unreadable);
            case UVSTREAM, UVREADER -> streams.read(argument, base, offset, unreadable);
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, F32, F64 ->
                number(argument, base, offset, unreadable);
            case DECLARED -> throw new IllegalArgumentException("argument " + argument.name() + " has no type yet");
        }
    }

    /**
     * Copies up to {@code sizeBytes - 1} bytes of a {@code str} and a NUL to the stack; falls through with the count of all
     * these in R0.
     */
    void string(ArgumentSpec argument, int sizeBytes, int stackOffset, Label unreadable) {
        rejectUnread(argument, unreadable);
        memory.string(
                pointers.text(argument, unreadable), sizeBytes, access.memory(argument), R10, stackOffset, unreadable);
    }

    /** Copies bytes of a {@code char[N]} to the stack. */
    void characters(ArgumentSpec argument, int sizeBytes, int stackOffset, Label unreadable) {
        rejectUnread(argument, unreadable);
        memory.bytes(
                pointers.address(argument, unreadable),
                sizeBytes,
                access.memory(argument),
                R10,
                stackOffset,
                unreadable);
    }

    /**
     * Finds a text whose length or end is given.
     *
     * @return where on the stack its address stands, and 8 bytes behind that its length in bytes, not negative
     */
    int countedText(ArgumentSpec argument, Label unreadable) {
        rejectUnread(argument, unreadable);
        return pointers.counted(argument, unreadable);
    }

    /** Copies bytes of a text that {@link #countedText} found to the stack. */
    void countedBytes(ArgumentSpec argument, int pairSlot, int sizeBytes, int stackOffset, Label unreadable) {
        memory.bytes(inSlot(pairSlot), sizeBytes, access.memory(argument), R10, stackOffset, unreadable);
    }

    /** The same of as many bytes as the text has, and no more than so many. */
    void countedBytesAtMost(ArgumentSpec argument, int pairSlot, int mostBytes, int stackOffset, Label unreadable) {
        Label empty = assembler.newLabel();
        MemoryCode.Load size = atMost(pairSlot + Long.BYTES, mostBytes);
        size.into(R1);
        assembler.jumpIf(Condition.EQUAL, R1, 0, empty); // wherever its pointer points, even to nothing
        memory.bytes(inSlot(pairSlot), size, access.memory(argument), R10, stackOffset, unreadable);
        assembler.bind(empty);
    }

    /** The number in the slot, or the bound where that is less; the verifier needs the bound each time. */
    private MemoryCode.Load atMost(int slot, int bound) {
        return destination -> {
            Label fits = assembler.newLabel();
            inSlot(slot).into(destination);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, destination, bound, fits);
            assembler.mov(destination, bound);
            assembler.bind(fits);
        };
    }

    /** Spreads a number of this type over the whole register. */
    public static void extend(Assembler assembler, Register register, ArgumentType type) {
        if (type.isSigned()) {
            assembler.signExtend(register, width(type));
        } else {
            assembler.zeroExtend(register, width(type));
        }
    }

    private void rejectUnread(ArgumentSpec argument, Label unreadable) {
        for (ArgumentSpec source : sources(argument)) {
            if (access.readability(source) == Readability.AT_TIMES) {
                access.jumpIfUnreadable(source, unreadable);
            }
        }
    }

    private MemoryCode.Load text(ArgumentSpec argument, Label unreadable) {
        Optional<MemoryWindows.Place> place = windows.place(argument);
        place.ifPresent(found -> windows.jumpIfFailed(found, unreadable));
        return place.map(MemoryWindows.Place::slot)
                .map(this::inSlot)
                .orElseGet(() -> pointers.text(argument, unreadable));
    }

    private void number(ArgumentSpec argument, Register base, int offset, Label unreadable) {
        ArgumentType type = argument.type();
        Optional<MemoryWindows.Place> place = windows.place(argument);
        if (place.isPresent()) {
            windows.jumpIfFailed(place.get(), unreadable);
            assembler.load(width(type), R1, R10, place.get().slot());
            extend(assembler, R1, type);
            assembler.store(Width.DOUBLE_WORD, base, offset, R1);
            return;
        }
        if (!argument.isDereferenced()) {
            pointers.value(R1, argument);
            extend(assembler, R1, type);
            assembler.store(Width.DOUBLE_WORD, base, offset, R1);
            return;
        }
        MemoryCode.Load address = pointers.address(argument, unreadable);
        assembler.storeImmediate(Width.DOUBLE_WORD, base, offset, 0);
        memory.bytes(address, type.capacityBytes(), access.memory(argument), base, offset, unreadable);
        if (type.isSigned() && width(type) != Width.DOUBLE_WORD) {
            assembler.load(width(type), R1, base, offset);
            extend(assembler, R1, type);
            assembler.store(Width.DOUBLE_WORD, base, offset, R1);
        }
    }

    private Http2HeaderCode http2Headers() {
        http2Headers = http2Headers == null ? new Http2HeaderCode(assembler, access, maySleep) : http2Headers;
        return http2Headers;
    }

    /**
     * A text whose address stands on the stack and its length behind that: as much of it as has room, and one byte more if it was
     * cut.
     */
    private void text(int pair, ArgumentSpec argument, Register base, int offset, Label unreadable) {
        int mostBytes = argument.type().capacityBytes() + 1;
        MemoryCode.Load size = atMost(pair + Long.BYTES, mostBytes);
        Label empty = assembler.newLabel();
        size.into(R1);
        assembler.jumpIf(Condition.EQUAL, R1, 0, empty); // wherever its pointer points, even to nothing
        memory.bytes(inSlot(pair), size, access.memory(argument), base, offset + ArgumentSlot.TEXT_OFFSET, unreadable);
        assembler.bind(empty);
        size.into(R1);
        assembler.add(R1, 1); // counted as if a NUL followed: as of a str
        assembler.store(Width.WORD, base, offset, R1);
    }

    private AddressCode addresses() {
        addresses = addresses == null ? new AddressCode(assembler, access, pointers, maySleep) : addresses;
        return addresses;
    }

    private MemoryCode.Load inSlot(int slot) {
        return destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
    }

    /** Leaves the slot empty: a number 0, a text of no bytes. */
    private void missing(long bits, Register base, int offset) {
        if (bits == (int) bits) {
            assembler.or(R8, (int) bits);
        } else {
            assembler.loadImmediate64(R1, bits).or(R8, R1);
        }
        assembler.storeImmediate(Width.DOUBLE_WORD, base, offset, 0);
    }

    private static Width width(ArgumentType type) {
        return switch (type.capacityBytes()) {
            case 1 -> Width.BYTE;
            case 2 -> Width.HALF;
            case 4 -> Width.WORD;
            case 8 -> Width.DOUBLE_WORD;
            default -> throw new IllegalArgumentException("a number of " + type.capacityBytes() + " bytes");
        };
    }
}
