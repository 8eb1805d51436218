package dev.probestream.collector.internal.resolve.code;

/**
 * How long an x86-64 instruction is (Intel SDM volume 2, chapter 2 and appendix A): so much of a decoder as is needed to
 * find where instructions begin. A breakpoint in the middle of one would crash the program.
 *
 * <pre>
 * [prefixes] [REX] opcode [ModRM [SIB] [displacement]] [immediate]
 *   opcode = one byte · 0F + byte · 0F 38 + byte · 0F 3A + byte · VEX (C5 + 1, C4 + 2) + byte · EVEX (62 + 3) + byte
 * </pre>
 */
final class X86Instruction {
    /** The processor refuses longer ones. */
    static final int MAX_BYTES = 15;

    private static final int UNKNOWN = -1;

    // What follows an opcode, a letter for each: . nothing, m ModRM, b 1-byte immediate, w 2, z 4 (2 with prefix 66),
    // d 4 always, v as z but 8 with REX.W, M and ModRM+1, Z ModRM+z, o an address, e 2+1, g and G ModRM and for /0 and
    // /1
    // an immediate of 1 or z, - none such in 64-bit mode (or a prefix or an escape).
    private static final String ONE_BYTE =
            "mmmmbz--mmmmbz--" + "mmmmbz--mmmmbz--" + "mmmmbz--mmmmbz--" + "mmmmbz--mmmmbz--"
                    + "----------------" + "................" + "---m----zZbM...." + "bbbbbbbbbbbbbbbb"
                    + "MZ-Mmmmmmmmmmmmm" + "..........-....." + "oooo....bz......" + "bbbbbbbbvvvvvvvv"
                    + "MMw.--MZe.w..b-." + "mmmm---.mmmmmmmm" + "bbbbbbbbdd-b...." + "-.--..gG......mm";
    private static final String AFTER_0F =
            "mmmm-.....-.-m.M" + "mmmmmmmmmmmmmmmm" + "mmmm----mmmmmmmm" + "........--------"
                    + "mmmmmmmmmmmmmmmm" + "mmmmmmmmmmmmmmmm" + "mmmmmmmmmmmmmmmm" + "MMMMmmm.mmmmmmmm"
                    + "dddddddddddddddd" + "mmmmmmmmmmmmmmmm" + "...mMmmm...mMmmm" + "mmmmmmmmmmMmmmmm"
                    + "mmMmMMMm........" + "mmmmmmmmmmmmmmmm" + "mmmmmmmmmmmmmmmm" + "mmmmmmmmmmmmmmmm";
    private static final String IMMEDIATE_LETTERS = "MZgG";

    private final byte[] code;
    private int at;
    private boolean hasOperandSizePrefix;
    private boolean hasAddressSizePrefix;
    private boolean hasRexW;

    private X86Instruction(byte[] code, int at) {
        this.code = code;
        this.at = at;
    }

    /** The length in bytes of the instruction that begins at {@code start}, or -1 if it is cut off or not known. */
    static int length(byte[] code, int start) {
        X86Instruction instruction = new X86Instruction(code, start);
        instruction.skipPrefixes();
        int end = instruction.end();
        return end < 0 || end > code.length ? UNKNOWN : end - start;
    }

    private void skipPrefixes() {
        while (isPrefix(byteAt(at))) {
            hasOperandSizePrefix |= byteAt(at) == 0x66;
            hasAddressSizePrefix |= byteAt(at) == 0x67;
            at++;
        }
        if ((byteAt(at) & 0xf0) == 0x40) {
            hasRexW = (byteAt(at) & 8) != 0;
            at++;
        }
    }

    private static boolean isPrefix(int value) {
        return switch (value) {
            case 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65 -> true;
            default -> false;
        };
    }

    private int end() {
        int opcode = byteAt(at);
        return switch (opcode) {
            case -1 -> UNKNOWN;
            case 0x0f -> afterEscape(at + 1);
            case 0xc5 -> afterVector(at + 2, 1);
            case 0xc4 -> afterVector(at + 3, byteAt(at + 1) & 0x1f);
            case 0x62 -> afterVector(at + 4, byteAt(at + 1) & 7);
            // Either POP, or one of AMD's short-lived XOP instructions.
            case 0x8f -> (byteAt(at + 1) & 0x1f) < 8 ? afterModRm(at + 1) : UNKNOWN;
            default -> after(ONE_BYTE.charAt(opcode), at + 1);
        };
    }

    private int afterEscape(int position) {
        int opcode = byteAt(position);
        return switch (opcode) {
            case -1 -> UNKNOWN;
            case 0x38 -> after('m', position + 2);
            case 0x3a -> after('M', position + 2);
            default -> after(AFTER_0F.charAt(opcode), position + 1);
        };
    }

    /** The opcode of a VEX or EVEX instruction is at {@code position}; its map is 1 = 0F, 2 = 0F 38, 3 = 0F 3A. */
    private int afterVector(int position, int map) {
        int opcode = byteAt(position);
        if (opcode < 0) {
            return UNKNOWN;
        }
        return switch (map) {
            case 1 -> after(AFTER_0F.charAt(opcode), position + 1);
            case 2, 5, 6 -> after('m', position + 1);
            case 3 -> after('M', position + 1);
            default -> UNKNOWN;
        };
    }

    private int after(char form, int position) {
        int operands = position;
        if (form == 'm' || IMMEDIATE_LETTERS.indexOf(form) >= 0) {
            operands = afterModRm(position);
        }
        // /0 and /1 of these two are TEST with an immediate.
        boolean isTest = (byteAt(position) & 0x38) <= 8;
        int word = hasOperandSizePrefix && !hasRexW ? 2 : 4;
        return operands < 0
                ? UNKNOWN
                : switch (form) {
                    case '.', 'm' -> operands;
                    case 'b', 'M' -> operands + 1;
                    case 'w' -> operands + 2;
                    case 'e' -> operands + 3;
                    case 'd' -> operands + 4;
                    case 'z', 'Z' -> operands + word;
                    case 'v' -> operands + (hasRexW ? 8 : word);
                    case 'o' -> operands + (hasAddressSizePrefix ? 4 : 8);
                    case 'g' -> operands + (isTest ? 1 : 0);
                    case 'G' -> operands + (isTest ? word : 0);
                    default -> UNKNOWN;
                };
    }

    /** The position behind ModRM, SIB and displacement. */
    private int afterModRm(int position) {
        int modRm = byteAt(position);
        if (modRm < 0) {
            return UNKNOWN;
        }
        int mod = modRm >>> 6;
        int base = modRm & 7;
        int operands = position + 1;
        if (mod == 3) {
            return operands;
        }
        if (base == 4) {
            base = byteAt(operands++) & 7;
        }
        return switch (mod) {
            case 0 -> operands + (base == 5 ? 4 : 0);
            case 1 -> operands + 1;
            default -> operands + 4;
        };
    }

    /** -1 behind the end. */
    private int byteAt(int position) {
        return position < code.length ? code[position] & 0xff : -1;
    }
}
