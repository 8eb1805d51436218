package dev.probestream.bpf.map;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.sys.Errno;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Reads all entries of a map: many per call with BPF_MAP_LOOKUP_BATCH (since 5.6), else key by key.
 *
 * <pre>
 * union bpf_attr of BPF_MAP_LOOKUP_BATCH
 *  0  8  in_batch    where to continue: the previous out_batch; null at first
 *  8  8  out_batch
 * 16  8  keys
 * 24  8  values
 * 32  4  count       capacity of keys and values; then the number of entries
 * 36  4  map_fd
 * 40  8  elem_flags
 * 48  8  flags
 * </pre>
 */
final class MapEntries {
    private static final int ATTR_BYTES = 56;
    private static final int FIRST_BATCH_ENTRIES = 256;

    private final BpfMap map;
    private final int keyBytes;
    private final int valueBytes;

    MapEntries(BpfMap map) {
        this.map = map;
        this.keyBytes = map.spec().keySizeBytes();
        this.valueBytes = map.readSizeBytes();
    }

    void forEach(BpfMap.EntryHandler handler) {
        if (!inBatches(handler)) {
            byKey(handler);
        }
    }

    /** False, before the first call of the handler, when the kernel has no batches for this type of map. */
    private boolean inBatches(BpfMap.EntryHandler handler) {
        int room = Math.min(FIRST_BATCH_ENTRIES, map.spec().maxEntries());
        // The token is 4 bytes for hashes and a key for arrays (kernel/bpf/hashtab.c, kernel/bpf/syscall.c).
        NativeMemory token = NativeMemory.allocate(Math.max(Integer.BYTES, keyBytes));
        NativeMemory keys = NativeMemory.allocate(room * keyBytes);
        NativeMemory values = NativeMemory.allocate(room * valueBytes);
        boolean isFirst = true;
        while (true) {
            NativeMemory attr = attr(token, keys, values, room, isFirst);
            long result = Syscalls.bpf(BpfSyscall.BPF_MAP_LOOKUP_BATCH, attr);
            if (isFirst && (Errno.EINVAL.is(result) || isNotSupported(result))) {
                return false;
            }
            if (Errno.ENOSPC.is(result)) {
                // One bucket holds more entries than there is room for; nothing was consumed.
                room *= 2;
                keys = NativeMemory.allocate(room * keyBytes);
                values = NativeMemory.allocate(room * valueBytes);
                continue;
            }
            boolean isLast = Errno.ENOENT.is(result);
            if (!isLast) {
                Syscalls.check(result, "read the entries of " + map, BpfSyscall.advice(result));
            }
            show(handler, keys.buffer(), values.buffer(), attr.getInt(32));
            if (isLast) {
                return true;
            }
            isFirst = false;
        }
    }

    private NativeMemory attr(NativeMemory token, NativeMemory keys, NativeMemory values, int room, boolean isFirst) {
        NativeMemory attr = NativeMemory.allocate(ATTR_BYTES)
                .putPointer(8, token)
                .putPointer(16, keys)
                .putPointer(24, values)
                .putInt(32, room)
                .putInt(36, map.descriptorNumber());
        return isFirst ? attr : attr.putPointer(0, token);
    }

    private void show(BpfMap.EntryHandler handler, ByteBuffer keys, ByteBuffer values, int count) {
        for (int i = 0; i < count; i++) {
            handler.entry(
                    keys.slice(i * keyBytes, keyBytes).order(ByteOrder.nativeOrder()),
                    values.slice(i * valueBytes, valueBytes).order(ByteOrder.nativeOrder()));
        }
    }

    void byKey(BpfMap.EntryHandler handler) {
        Optional<ByteBuffer> key = map.firstKey();
        while (key.isPresent()) {
            ByteBuffer current = key.get();
            map.lookup(current)
                    .ifPresent(value -> handler.entry(current.duplicate().order(ByteOrder.nativeOrder()), value));
            key = map.nextKey(current);
        }
    }

    private static boolean isNotSupported(long result) {
        return Errno.EOPNOTSUPP.is(result) || Errno.ENOTSUPP.is(result);
    }
}
