package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfSymbol;
import java.util.ArrayList;
import java.util.List;

/** Code of x86-64, in which instructions are looked for by their bytes. */
@SuppressWarnings("ArrayRecordComponent") // borrowed from who reads the function; nothing compares two of these
record MachineCode(byte[] bytes) {
    /** REX.W, and one that extends the base or the destination, too. */
    private static final int REX_MASK = 0xf8;

    private static final int REX = 0x48;
    /** Bits of REX that extend the base and the destination. */
    private static final int REX_BASE = 1;

    private static final int REX_DESTINATION = 4;
    private static final int LOAD = 0x8b;
    private static final int COMPARE = 0x3b;
    private static final int CALL = 0xe8;
    private static final int CALL_BYTES = 5;
    /** A base that needs a byte of its own in the instruction: rsp, r12. */
    private static final int WITH_SIB = 4;

    int at(int position) {
        return position < bytes.length ? bytes[position] & 0xff : -1;
    }

    /** The number of 32 bits there. */
    int word(int position) {
        return at(position) | at(position + 1) << 8 | at(position + 2) << 16 | at(position + 3) << 24;
    }

    /** What the load of 64 bits from a displacement begins with after its register, or behind the registers' byte. */
    static Load load(int displacement, boolean isShort) {
        return new Load(displacement, isShort);
    }

    /**
     * A load of 64 bits from so many bytes behind a register.
     *
     * @param isShort whether the displacement has one byte, else four
     */
    record Load(int displacement, boolean isShort) {}

    /** Where the first such load is, from there on; -1 = nowhere, or there was no place to begin at. */
    int find(int from, Load load) {
        for (int at = from; from >= 0 && at < bytes.length; at++) {
            int mod = load.isShort() ? 1 : 2;
            if (is(LOAD, at, mod) && displacement(at) == load.displacement()) {
                return at;
            }
        }
        return -1;
    }

    /** Where the first load with a displacement of four bytes is, from there on. */
    int findLoad(int from) {
        for (int at = from; from >= 0 && at < bytes.length; at++) {
            if (is(LOAD, at, 2)) {
                return at;
            }
        }
        return -1;
    }

    /** Where the first load behind the one there is, with a displacement of one byte or four. */
    int findLoadBehind(int position) {
        for (int at = position + 1; position >= 0 && at < bytes.length; at++) {
            if (is(LOAD, at, 1) || is(LOAD, at, 2)) {
                return at;
            }
        }
        return -1;
    }

    /** Whether the pointer through which the load goes is what the other load has put into its register. */
    boolean isLoadedThrough(int load, int other) {
        return load >= 0
                && other >= 0
                && (at(load + 2) & 7) == (at(other + 2) >> 3 & 7)
                && (at(load) & REX_BASE) == (at(other) & REX_DESTINATION) >> 2;
    }

    /** Where the first comparison of a register with 64 bits at a displacement of four bytes is, from there on. */
    int findCompare(int from) {
        for (int at = from; from >= 0 && at < bytes.length; at++) {
            if (is(COMPARE, at, 2)) {
                return at;
            }
        }
        return -1;
    }

    /** Where this function, whose code these bytes are, calls the other; -1 = nowhere. */
    int findCall(ElfSymbol function, ElfSymbol called) {
        for (int at = 0; at + CALL_BYTES <= bytes.length; at++) {
            long next = function.virtualAddress() + at + CALL_BYTES;
            if (at(at) == CALL && next + word(at + 1) == called.virtualAddress()) {
                return at;
            }
        }
        return -1;
    }

    /** Where these bytes are, from there on. */
    int find(int from, List<Integer> pattern) {
        for (int at = from; from >= 0 && at + pattern.size() <= bytes.length; at++) {
            List<Integer> found = new ArrayList<>();
            for (int i = 0; i < pattern.size(); i++) {
                found.add(at(at + i));
            }
            if (found.equals(pattern)) {
                return at;
            }
        }
        return -1;
    }

    /** Of the load or comparison there; 0 = there is none. */
    int displacement(int position) {
        if (position < 0) {
            return 0;
        }
        int behind = position + 3 + ((at(position + 2) & 7) == WITH_SIB ? 1 : 0);
        boolean isShort = is(LOAD, position, 1);
        return isShort ? (byte) at(behind) : is(LOAD, position, 2) || is(COMPARE, position, 2) ? word(behind) : 0;
    }

    /** {@code mov DISPLACEMENT(%BASE),%REGISTER}, or {@code cmp}. */
    private boolean is(int operation, int at, int mod) {
        return (at(at) & REX_MASK) == REX && at(at + 1) == operation && at(at + 2) >> 6 == mod;
    }
}
