package dev.probestream.bpf.map;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.Errno;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An open map. Keys and values are the remaining bytes of buffers in the machine's byte order; returned buffers are
 * copies. Safe for several threads; the creator closes it.
 *
 * <pre>
 * union bpf_attr of BPF_MAP_CREATE     of BPF_MAP_*_ELEM and BPF_MAP_GET_NEXT_KEY
 *  0  4  map_type                        0  4  map_fd
 *  4  4  key_size                        8  8  key
 *  8  4  value_size                     16  8  value, or next_key
 * 12  4  max_entries                    24  8  flags
 * 16  4  map_flags
 * 28 16  map_name
 * 48  4  btf_fd
 * 52  4  btf_key_type_id
 * 56  4  btf_value_type_id
 * </pre>
 */
public final class BpfMap implements AutoCloseable {
    private static final int CREATE_ATTR_BYTES = 72;
    private static final int ELEMENT_ATTR_BYTES = 32;

    private final MapSpec spec;
    private final FileDescriptor descriptor;
    private final int cpuCount;

    private BpfMap(MapSpec spec, FileDescriptor descriptor, int cpuCount) {
        this.spec = spec;
        this.descriptor = descriptor;
        this.cpuCount = cpuCount;
    }

    /**
     * Creates the map.
     *
     * @param spec what to create
     * @return the map; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses it
     */
    public static BpfMap create(MapSpec spec) {
        return create(spec, OptionalInt.empty());
    }

    /**
     * Creates the map with the types of keys and values.
     *
     * @param spec what to create
     * @param types the number of the file descriptor of BTF that the kernel has; the kernel keeps the types
     * @return the map; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses it
     */
    public static BpfMap create(MapSpec spec, OptionalInt types) {
        int cpuCount = spec.type().isPerCpu() ? PossibleCpus.ofThisMachine().count() : 1;
        NativeMemory attr = NativeMemory.allocate(CREATE_ATTR_BYTES)
                .putInt(0, spec.type().number())
                .putInt(4, spec.keySizeBytes())
                .putInt(8, spec.valueSizeBytes())
                .putInt(12, spec.maxEntries())
                .putInt(16, spec.flags());
        BpfSyscall.putName(attr, 28, spec.name());
        boolean hasTypes = types.isPresent() && spec.type().takesTypes() && spec.valueTypeId() != 0;
        if (hasTypes) {
            attr.putInt(48, types.getAsInt()).putInt(52, spec.keyTypeId()).putInt(56, spec.valueTypeId());
        }
        long result = Syscalls.bpf(BpfSyscall.BPF_MAP_CREATE, attr);
        if (hasTypes && Errno.EINVAL.is(result)) {
            // As libbpf: a kernel may know the map and not all of its types.
            attr.putInt(48, 0).putInt(52, 0).putInt(56, 0);
            result = Syscalls.bpf(BpfSyscall.BPF_MAP_CREATE, attr);
        }
        // Before 5.11, EPERM may come from the limit on locked memory.
        if (Errno.EPERM.is(result) && BpfSyscall.raiseMemoryLockLimit()) {
            result = Syscalls.bpf(BpfSyscall.BPF_MAP_CREATE, attr);
        }
        String attempt = "create map " + spec.name() + " (" + spec.type() + ", " + spec.maxEntries() + " entries)";
        return new BpfMap(spec, FileDescriptor.of(result, attempt, BpfSyscall.advice(result)), cpuCount);
    }

    /** {@return what the map was created from} */
    public MapSpec spec() {
        return spec;
    }

    /**
     * {@return the number of the map's file descriptor in this process, for a mapping, a library or a child process}
     */
    public int descriptorNumber() {
        return descriptor.number();
    }

    /**
     * {@return an int key in the machine's byte order, as arrays use it}
     *
     * @param index of the entry, from 0
     */
    public static ByteBuffer key(int index) {
        return ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(0, index);
    }

    /**
     * {@return the size of a value as {@link #lookup} returns it: for per-CPU maps the values of all possible CPUs,
     * each padded to 8 bytes}
     */
    public int readSizeBytes() {
        return spec.type().isPerCpu() ? (spec.valueSizeBytes() + 7) / 8 * 8 * cpuCount : spec.valueSizeBytes();
    }

    /**
     * {@return the key's value, or empty when the map does not have the key}
     *
     * @param key in the machine's byte order, from position to limit
     */
    public Optional<ByteBuffer> lookup(ByteBuffer key) {
        NativeMemory value = NativeMemory.allocate(readSizeBytes());
        long result = element(BpfSyscall.BPF_MAP_LOOKUP_ELEM, keyMemory(key), value);
        if (Errno.ENOENT.is(result)) {
            return Optional.empty();
        }
        check(result, "look up a key in");
        return Optional.of(value.buffer());
    }

    /**
     * Stores a value under a key, whether the key is there or not.
     *
     * @param key in the machine's byte order, from position to limit
     * @param value in the machine's byte order, from position to limit
     */
    public void update(ByteBuffer key, ByteBuffer value) {
        NativeMemory valueMemory = copy(value, readSizeBytes(), "value");
        check(element(BpfSyscall.BPF_MAP_UPDATE_ELEM, keyMemory(key), valueMemory), "store a value in");
    }

    /**
     * Deletes a key; false when the map did not have it.
     *
     * @param key in the machine's byte order, from position to limit
     * @return whether the map had the key
     */
    public boolean delete(ByteBuffer key) {
        NativeMemory attr = elementAttr().putPointer(8, keyMemory(key));
        long result = Syscalls.bpf(BpfSyscall.BPF_MAP_DELETE_ELEM, attr);
        if (Errno.ENOENT.is(result)) {
            return false;
        }
        check(result, "delete a key from");
        return true;
    }

    /** {@return the first key, in an undefined order; empty for a map without keys} */
    public Optional<ByteBuffer> firstKey() {
        return next(elementAttr());
    }

    /**
     * {@return the key after this one; the first key if this one was deleted meanwhile} Empty after the last.
     *
     * @param key in the machine's byte order, from position to limit
     */
    public Optional<ByteBuffer> nextKey(ByteBuffer key) {
        return next(elementAttr().putPointer(8, keyMemory(key)));
    }

    /**
     * Calls the handler for every entry of a hash or array. Entries that programs add or delete meanwhile may be
     * missed; none is passed twice where the kernel reads in batches (since 5.6).
     *
     * @param handler called by this thread during this call
     */
    public void forEach(EntryHandler handler) {
        new MapEntries(this).forEach(handler);
    }

    /**
     * {@return the value at an index of a per-CPU array of u64, one number for each possible CPU, in the order of CPUs}
     *
     * @param index of the entry, from 0
     */
    public long[] perCpuLongs(int index) {
        if (!spec.type().isPerCpu() || spec.valueSizeBytes() != Long.BYTES) {
            throw new IllegalStateException("map " + spec.name() + " does not hold one u64 per CPU: " + spec);
        }
        ByteBuffer values = lookup(key(index))
                .orElseThrow(() -> new IllegalArgumentException("map " + spec.name() + " has no index " + index
                        + ": it has " + spec.maxEntries() + " entries"));
        long[] numbers = new long[cpuCount];
        values.asLongBuffer().get(numbers);
        return numbers;
    }

    /**
     * {@return the sum over all possible CPUs of {@link #perCpuLongs}}
     *
     * @param index of the entry, from 0
     */
    public long sumOfLongs(int index) {
        long sum = 0;
        for (long value : perCpuLongs(index)) {
            sum += value;
        }
        return sum;
    }

    /** Forbids user space to write to the map from now on (since 5.2). */
    public void freeze() {
        check(Syscalls.bpf(BpfSyscall.BPF_MAP_FREEZE, elementAttr()), "freeze");
    }

    /** Closes the descriptor; the kernel keeps the map as long as a loaded program uses it. */
    @Override
    public void close() {
        descriptor.close();
    }

    @Override
    public String toString() {
        return "map " + spec.name();
    }

    private Optional<ByteBuffer> next(NativeMemory attr) {
        NativeMemory nextKey = NativeMemory.allocate(spec.keySizeBytes());
        long result = Syscalls.bpf(BpfSyscall.BPF_MAP_GET_NEXT_KEY, attr.putPointer(16, nextKey));
        if (Errno.ENOENT.is(result)) {
            return Optional.empty();
        }
        check(result, "read the keys of");
        return Optional.of(nextKey.buffer());
    }

    private long element(int command, NativeMemory key, NativeMemory value) {
        return Syscalls.bpf(command, elementAttr().putPointer(8, key).putPointer(16, value));
    }

    private NativeMemory elementAttr() {
        return NativeMemory.allocate(ELEMENT_ATTR_BYTES).putInt(0, descriptor.number());
    }

    private NativeMemory keyMemory(ByteBuffer key) {
        return copy(key, spec.keySizeBytes(), "key");
    }

    private NativeMemory copy(ByteBuffer bytes, int sizeBytes, String what) {
        if (bytes.remaining() != sizeBytes) {
            throw new IllegalArgumentException("a " + what + " of " + bytes.remaining() + " bytes for map "
                    + spec.name() + ", whose " + what + "s have " + sizeBytes);
        }
        NativeMemory memory = NativeMemory.allocate(sizeBytes);
        memory.buffer().put(bytes.duplicate());
        return memory;
    }

    private void check(long result, String attempt) {
        Syscalls.check(result, attempt + " map " + spec.name(), BpfSyscall.advice(result));
    }

    /** Receives the entries of a map, one per call. */
    @FunctionalInterface
    public interface EntryHandler {
        /**
         * Both buffers are borrowed for the call, in the machine's byte order, from position to limit.
         *
         * @param key in the machine's byte order, from position to limit
         * @param value for per-CPU maps the values of all possible CPUs, each padded to 8 bytes
         */
        void entry(ByteBuffer key, ByteBuffer value);
    }
}
