package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Codes;
import java.util.Optional;

/**
 * Finds the code that a pc is in. V8 keeps code in pages of 256 KB; instructions begin at multiples of 64 (x86-64) or 32
 * bytes, behind the header of an InstructionStream, which points to its Code, which holds the address of the first
 * instruction: both do not agree by chance. Until 10.x Code and InstructionStream are one object.
 *
 * <p>Code larger than a page is not found when the pc is not in its first page.
 */
final class CodeSearch {
    private static final long PAGE_BYTES = 256 << 10;
    /** kCodeAlignment (v8/src/common/globals.h): the smaller one. */
    private static final long ALIGNMENT = 32;
    /** No user space is higher; also what machine code looks like when it is taken for pointers. */
    private static final long MAX_ADDRESS = 1L << 47;

    private final HeapReader heap;
    private final V8CodeLayout layout;
    private final Codes codes;

    CodeSearch(HeapReader heap, V8CodeLayout layout) {
        this.heap = heap;
        this.layout = layout;
        this.codes = layout.codes();
    }

    /**
     * The code that an instruction is in.
     *
     * @param pc address of the instruction, or of a part of it
     * @throws HeapException if memory near the pc cannot be read
     */
    Optional<CodeObject> at(long pc) throws HeapException {
        long pageStart = pc & -PAGE_BYTES;
        for (long start = pc & -ALIGNMENT; start - codes.streamHeader() >= pageStart; start -= ALIGNMENT) {
            Optional<CodeObject> code = startingAt(start);
            if (code.isPresent()) {
                return code.filter(found -> found.contains(pc));
            }
        }
        return Optional.empty();
    }

    private Optional<CodeObject> startingAt(long instructionStart) throws HeapException {
        long stream = instructionStart - codes.streamHeader();
        long code = codes.isStreamApart() ? heap.longAt(stream + codes.streamCode()) : stream + 1;
        long map = heap.longAt(stream);
        return mayBeObject(map) && mayBeObject(code) && isCode(code, instructionStart)
                ? Optional.of(code(code, instructionStart))
                : Optional.empty();
    }

    private static boolean mayBeObject(long word) {
        return (word & 7) == 1 && word > 0 && word < MAX_ADDRESS;
    }

    /** Most words that look like pointers are none, so that what cannot be read there is no failure. */
    private boolean isCode(long object, long instructionStart) throws HeapException {
        try {
            return (!codes.isStreamApart() || heap.word(object, codes.instructionStart()) == instructionStart)
                    && heap.is(object, layout.types().code());
        } catch (HeapException e) {
            if (e.reason() == HeapException.Reason.BUDGET) {
                throw e;
            }
            return false;
        }
    }

    private CodeObject code(long code, long instructionStart) throws HeapException {
        return new CodeObject(
                code,
                instructionStart,
                heap.int32(code, codes.instructionSize()),
                heap.int32(code, codes.flags()) & codes.kindMask());
    }
}
