package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.CoreValue;
import java.util.Optional;

/**
 * Puts the number of a CO-RE relocation into an instruction, as bpf_core_patch_insn of tools/lib/bpf/relo_core.c does: into
 * the immediate of arithmetic, into the offset of a load or store, or into a load of 64 bits.
 */
final class CorePatch {
    private static final int REGISTER_OPERAND = 0x08; // BPF_X
    private static final int SIZE_BITS = 0x18;

    private final LinkedCode code;
    private final int at;

    CorePatch(LinkedCode code, int at) {
        this.code = code;
        this.at = at;
    }

    /**
     * Patches the instruction.
     *
     * @param local the number that the compiler put there; empty where it is not to be compared
     * @return the reason why that is not possible; empty if it was done
     */
    Optional<String> apply(CoreValue value, Optional<CoreValue> local) {
        int opcode = code.opcode(at);
        return switch (opcode & 0x07) {
            case 0x04, 0x07 -> arithmetic(value.value(), opcode);
            case 0x01, 0x02, 0x03 -> memory(value, local, opcode);
            case 0x00 -> wide(value.value(), opcode);
            default -> Optional.of("an instruction of opcode 0x" + Integer.toHexString(opcode) + " holds no number");
        };
    }

    private Optional<String> arithmetic(long value, int opcode) {
        if ((opcode & REGISTER_OPERAND) != 0) {
            return Optional.of("the second operand is a register");
        }
        if (value != (int) value && value >>> 32 != 0) {
            return Optional.of("the number " + value + " does not fit 32 bits");
        }
        code.setImmediate(at, (int) value);
        return Optional.empty();
    }

    private Optional<String> memory(CoreValue value, Optional<CoreValue> local, int opcode) {
        if (value.value() < 0 || value.value() > Short.MAX_VALUE) {
            return Optional.of("the offset " + value.value() + " does not fit 16 bits");
        }
        if (local.isPresent()
                && local.get().sizeBytes() != 0
                && code.offset(at) != local.get().value()) {
            return Optional.of("the instruction has the offset " + code.offset(at) + " instead of "
                    + local.get().value());
        }
        if (local.isPresent() && local.get().sizeBytes() != value.sizeBytes()) {
            int width = widthBits(value.sizeBytes());
            if (!value.isResizable() || !local.get().isResizable() || width < 0) {
                return Optional.of("the field has " + value.sizeBytes() + " bytes in this kernel instead of "
                        + local.get().sizeBytes() + "; read it by BPF_CORE_READ");
            }
            code.setOpcode(at, (opcode & ~SIZE_BITS) | width);
        }
        code.setOffset(at, (int) value.value());
        return Optional.empty();
    }

    private Optional<String> wide(long value, int opcode) {
        if (opcode != LinkedCode.LOAD_64 || at + 1 >= code.count() || code.source(at) != 0) {
            return Optional.of("the instruction loads no number of 64 bits");
        }
        code.setImmediate(at, (int) value);
        code.setImmediate(at + 1, (int) (value >> 32));
        return Optional.empty();
    }

    private static int widthBits(long sizeBytes) {
        return switch ((int) sizeBytes) {
            case 1 -> 0x10;
            case 2 -> 0x08;
            case 4 -> 0x00;
            case 8 -> 0x18;
            default -> -1;
        };
    }
}
