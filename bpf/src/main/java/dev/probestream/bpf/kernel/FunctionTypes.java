package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The type information that the kernel requires of a program with functions of its own: without it, the verifier refuses to
 * load a function's address ("missing btf func_info"). All functions get one type, {@code static int function()}: the
 * verifier does not look at the arguments of a static function.
 *
 * <pre>
 * BTF (linux/btf.h)                       struct bpf_func_info
 *   0  2  magic       12  4  type_len       0  4  insn_off
 *   2  1  version     16  4  str_off        4  4  type_id
 *   4  4  hdr_len     20  4  str_len
 *   8  4  type_off
 * union bpf_attr of BPF_BTF_LOAD
 *   0  8  btf         16  4  btf_size
 * </pre>
 */
final class FunctionTypes {
    static final int FUNC_INFO_BYTES = 8;

    private static final int HEADER_BYTES = 24;
    private static final short MAGIC = (short) 0xeb9f;
    private static final int ATTR_BYTES = 32;
    private static final int BTF_KIND_INT = 1;
    private static final int BTF_KIND_FUNC = 12;
    private static final int BTF_KIND_FUNC_PROTO = 13;
    private static final int BTF_INT_SIGNED = 1 << 24;
    private static final int FUNCTION_TYPE_ID = 3;
    private static final byte[] STRINGS = "\0int\0function\0".getBytes(StandardCharsets.US_ASCII);
    private static final int INT_NAME = 1;
    private static final int FUNCTION_NAME = 5;

    private FunctionTypes() {}

    /** The instructions with which functions begin, the program first; empty for a program without functions. */
    static List<Integer> starts(List<Instruction> instructions) {
        TreeSet<Integer> starts = new TreeSet<>();
        for (int i = 0; i < instructions.size(); i++) {
            Instruction instruction = instructions.get(i);
            if (instruction.isFunctionLoad() || (instruction.isFunctionCall() && !instruction.isLinkedCall())) {
                starts.add(0);
                starts.add(i + 1 + instruction.immediate());
            }
        }
        return List.copyOf(starts);
    }

    /** Gives the first of these that it accepts to the kernel; empty where it accepts none, or there is none. */
    static Optional<FileDescriptor> load(List<ByteBuffer> choices) {
        for (ByteBuffer choice : choices) {
            byte[] btf = new byte[choice.remaining()];
            choice.get(choice.position(), btf);
            long result = submit(NativeMemory.ofBytes(btf));
            if (result >= 0) {
                return Optional.of(FileDescriptor.of(result, "load types", ""));
            }
        }
        return Optional.empty();
    }

    /** Gives the types to the kernel, for as long as the descriptor is open or a program refers to them. */
    static FileDescriptor load() {
        long result = submit(NativeMemory.ofBytes(btf()));
        return FileDescriptor.of(result, "load the types of functions", BpfSyscall.advice(result));
    }

    private static long submit(NativeMemory btf) {
        NativeMemory attr = NativeMemory.allocate(ATTR_BYTES).putPointer(0, btf).putInt(16, btf.sizeBytes());
        return Syscalls.bpf(BpfSyscall.BPF_BTF_LOAD, attr);
    }

    /** An array of struct bpf_func_info. */
    static NativeMemory info(List<Integer> starts) {
        NativeMemory info = NativeMemory.allocate(starts.size() * FUNC_INFO_BYTES);
        for (int i = 0; i < starts.size(); i++) {
            info.putInt(i * FUNC_INFO_BYTES, starts.get(i)).putInt(i * FUNC_INFO_BYTES + 4, FUNCTION_TYPE_ID);
        }
        return info;
    }

    private static byte[] btf() {
        ByteBuffer types = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
        type(types, INT_NAME, BTF_KIND_INT, Integer.BYTES).putInt(BTF_INT_SIGNED | Integer.SIZE);
        type(types, 0, BTF_KIND_FUNC_PROTO, 1); // returns type 1
        type(types, FUNCTION_NAME, BTF_KIND_FUNC, 2); // vlen 0: BTF_FUNC_STATIC
        types.flip();
        ByteBuffer btf = ByteBuffer.allocate(HEADER_BYTES + types.limit() + STRINGS.length)
                .order(ByteOrder.nativeOrder());
        btf.putShort(MAGIC).put((byte) 1).put((byte) 0).putInt(HEADER_BYTES);
        btf.putInt(0).putInt(types.limit()).putInt(types.limit()).putInt(STRINGS.length);
        return btf.put(types).put(STRINGS).array();
    }

    /** struct btf_type: name, kind in the upper bits of info, size or type. */
    private static ByteBuffer type(ByteBuffer types, int name, int kind, int sizeOrType) {
        return types.putInt(name).putInt(kind << 24).putInt(sizeOrType);
    }
}
