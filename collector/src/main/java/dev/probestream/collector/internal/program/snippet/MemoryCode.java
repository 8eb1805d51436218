package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;

/** Emits the code that copies bytes and strings out of a process's memory or the kernel's. */
public final class MemoryCode {
    private final Assembler assembler;
    private final boolean maySleep;

    /** Emits the load of an address, or of a size. May lose that register and R0, no other. */
    public interface Load {
        void into(Register destination);
    }

    /** The load of an address so many bytes behind another. */
    public static Load plus(Assembler assembler, Load pointer, long offsetBytes) {
        return offsetBytes == 0
                ? pointer
                : destination -> {
                    pointer.into(destination);
                    assembler.add(destination, Math.toIntExact(offsetBytes));
                };
    }

    /**
     * @param maySleep whether the program is sleepable, so that user memory that is not resident can be fetched
     */
    public MemoryCode(Assembler assembler, boolean maySleep) {
        this.assembler = assembler;
        this.maySleep = maySleep;
    }

    /** Copies bytes to {@code base + offset}; falls through when they are there. May lose R0 to R5. */
    public void bytes(Load from, Load size, Memory memory, Register base, int offset, Label unreadable) {
        boolean isUser = memory == Memory.USER;
        if (isUser && maySleep) {
            Label read = assembler.newLabel();
            copy(from, size, Helper.PROBE_READ_USER, base, offset);
            assembler.jumpIf(Condition.EQUAL, R0, 0, read);
            copy(from, size, Helper.COPY_FROM_USER, base, offset);
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
            assembler.bind(read);
        } else {
            copy(from, size, isUser ? Helper.PROBE_READ_USER : Helper.PROBE_READ_KERNEL, base, offset);
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
        }
    }

    /** As {@link #bytes(Load, Load, Memory, Register, int, Label)}, for a count that is known. */
    public void bytes(Load from, int sizeBytes, Memory memory, Register base, int offset, Label unreadable) {
        bytes(from, destination -> assembler.mov(destination, sizeBytes), memory, base, offset, unreadable);
    }

    /**
     * Copies text up to its NUL, at most {@code sizeBytes - 1} bytes, and a NUL; falls through with the count of all these
     * in R0. May lose R0 to R5.
     */
    public void string(Load from, int sizeBytes, Memory memory, Register base, int offset, Label unreadable) {
        boolean isUser = memory == Memory.USER;
        Load size = destination -> assembler.mov(destination, sizeBytes);
        from.into(R3);
        assembler.jumpIf(Condition.EQUAL, R3, 0, unreadable);
        if (!isUser || !maySleep) {
            copy(from, size, isUser ? Helper.PROBE_READ_USER_STR : Helper.PROBE_READ_KERNEL_STR, base, offset);
            assembler.jumpIf(Condition.SIGNED_LESS_OR_EQUAL, R0, 0, unreadable);
            return;
        }
        Label read = assembler.newLabel();
        copy(from, size, Helper.PROBE_READ_USER_STR, base, offset);
        assembler.jumpIf(Condition.SIGNED_GREATER, R0, 0, read);
        // A text of at most a page lies on two pages: have them brought in, then read it again as a string. The
        // second is only touched when the first was not enough, for it may not be the program's at all.
        for (int touched : new int[] {0, sizeBytes - 1}) {
            touch(from, touched, base, offset, unreadable);
            copy(from, size, Helper.PROBE_READ_USER_STR, base, offset);
            assembler.jumpIf(Condition.SIGNED_GREATER, R0, 0, read);
        }
        assembler.jump(unreadable);
        assembler.bind(read);
    }

    private void touch(Load from, int distance, Register base, int offset, Label unreadable) {
        Load touched = destination -> {
            from.into(destination);
            assembler.add(destination, distance);
        };
        copy(touched, destination -> assembler.mov(destination, 1), Helper.COPY_FROM_USER, base, offset);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    private void copy(Load from, Load size, Helper helper, Register base, int offset) {
        assembler.mov(R1, base).add(R1, offset);
        size.into(R2);
        from.into(R3);
        assembler.call(helper);
    }
}
