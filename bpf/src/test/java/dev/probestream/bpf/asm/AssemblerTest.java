package dev.probestream.bpf.asm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AssemblerTest {
    @Test
    void everyInstructionPrintsAsTheVerifierPrintsIt() {
        Assembler assembler = new Assembler();
        Label end = assembler.newLabel();
        assembler
                .mov(Register.R6, Register.R1)
                .mov(Register.R0, -1)
                .mov32(Register.R2, Register.R2)
                .mov32(Register.R2, 7)
                .loadImmediate64(Register.R3, 0x1122334455667788L)
                .loadMap(Register.R1, "events")
                .load(Width.DOUBLE_WORD, Register.R2, Register.R6, 112)
                .load(Width.BYTE, Register.R2, Register.R6, -1)
                .store(Width.WORD, Register.R10, -4, Register.R2)
                .storeImmediate(Width.HALF, Register.R10, -8, 5)
                .atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1)
                .add(Register.R2, Register.R10)
                .sub(Register.R2, 8)
                .mul(Register.R2, Register.R3)
                .and(Register.R2, 0xff)
                .or(Register.R2, Register.R3)
                .xor(Register.R2, 1)
                .shiftLeft(Register.R2, 3)
                .shiftRight(Register.R2, Register.R3)
                .shiftRightArithmetic(Register.R2, 32)
                .negate(Register.R2)
                .jumpIf(Condition.EQUAL, Register.R0, 0, end)
                .jumpIf(Condition.SIGNED_LESS, Register.R0, Register.R2, end)
                .jump(end)
                .call(Helper.MAP_LOOKUP_ELEM)
                .bind(end)
                .exit();

        assertThat(text(assembler))
                .containsExactly(
                        "r6 = r1",
                        "r0 = -1",
                        "w2 = w2",
                        "w2 = 7",
                        "r3 = 0x55667788 (lower half)",
                        "(upper half 0x11223344)",
                        "r1 = map[events]",
                        "(upper half 0x0)",
                        "r2 = *(u64 *)(r6 +112)",
                        "r2 = *(u8 *)(r6 -1)",
                        "*(u32 *)(r10 -4) = r2",
                        "*(u16 *)(r10 -8) = 5",
                        "lock *(u64 *)(r0 +0) += r1",
                        "r2 += r10",
                        "r2 -= 8",
                        "r2 *= r3",
                        "r2 &= 255",
                        "r2 |= r3",
                        "r2 ^= 1",
                        "r2 <<= 3",
                        "r2 >>= r3",
                        "r2 s>>= 32",
                        "r2 = -r2",
                        "if r0 == 0 goto +3",
                        "if r0 s< r2 goto +2",
                        "goto +1",
                        "call map_lookup_elem#1",
                        "exit");
    }

    /** The bytes follow from the tables of instruction-set.rst, written out by hand. */
    @Test
    void instructionsEncodeToTheKernelsBytes() {
        Assembler assembler = new Assembler()
                .mov(Register.R6, Register.R1)
                .load(Width.WORD, Register.R2, Register.R10, -4)
                .storeImmediate(Width.DOUBLE_WORD, Register.R10, -8, -1)
                .atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1)
                .loadImmediate64(Register.R3, 0x1122334455667788L)
                .call(Helper.RINGBUF_RESERVE)
                .exit();

        assertThat(hex(assembler.assemble()))
                .containsExactly(
                        "bf16000000000000",
                        "61a2fcff00000000",
                        "7a0af8ffffffffff",
                        "db10000000000000",
                        "1803000088776655",
                        "0000000044332211",
                        "8500000083000000",
                        "9500000000000000");
    }

    @Test
    void mapLoadTakesTheDescriptorOfTheOpenMap() {
        Instruction load =
                new Assembler().loadMap(Register.R1, "events").exit().assemble().get(0);

        assertThat(load.isMapLoad()).isTrue();
        assertThat(hex(List.of(load.withMapDescriptor(9)))).containsExactly("1811000009000000");
        assertThat(load.withMapDescriptor(9)).hasToString("r1 = map[fd:9]");
    }

    @Test
    void jumpsGoBackwardsToo() {
        Assembler assembler = new Assembler();
        Label again = assembler.newLabel();
        assembler
                .bind(again)
                .add(Register.R1, 1)
                .jumpIf(Condition.LESS, Register.R1, 9, again)
                .exit();

        assertThat(text(assembler)).containsExactly("r1 += 1", "if r1 < 9 goto -2", "exit");
    }

    @Test
    void signExtensionOfAWordTakesTwoShifts() {
        assertThat(text(new Assembler().signExtend(Register.R1, Width.WORD)))
                .containsExactly("r1 <<= 32", "r1 s>>= 32");
        assertThat(text(new Assembler().signExtend(Register.R1, Width.DOUBLE_WORD)))
                .isEmpty();
    }

    @Test
    void zeroExtensionKeepsOnlyTheLowerBits() {
        assertThat(text(new Assembler()
                        .zeroExtend(Register.R1, Width.BYTE)
                        .zeroExtend(Register.R1, Width.HALF)
                        .zeroExtend(Register.R1, Width.WORD)
                        .zeroExtend(Register.R1, Width.DOUBLE_WORD)))
                .containsExactly("r1 &= 255", "r1 &= 65535", "w1 = w1");
    }

    @Test
    void unboundLabelIsNamed() {
        Assembler assembler = new Assembler();
        assembler.jump(assembler.newLabel()).exit();

        assertThatThrownBy(assembler::assemble)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("instruction 0 jumps to label 0, which was never bound");
    }

    @Test
    void labelBehindTheLastInstructionIsRefused() {
        Assembler assembler = new Assembler();
        Label end = assembler.newLabel();
        assembler.jump(end).exit().bind(end);

        assertThatThrownBy(assembler::assemble)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("instruction 0 jumps to label 0, which is bound behind the last instruction");
    }

    @Test
    void jumpFartherThanSixteenBitsIsRefused() {
        Assembler assembler = new Assembler();
        Label end = assembler.newLabel();
        assembler.jump(end);
        for (int i = 0; i < 32_768; i++) {
            assembler.mov(Register.R0, 0);
        }
        assembler.bind(end).exit();

        assertThatThrownBy(assembler::assemble)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("instruction 0 jumps 32768 instructions to label 0: 16 bits reach from -32768 to 32767");
    }

    @Test
    void labelIsBoundOnceAndOnlyByItsAssembler() {
        Assembler assembler = new Assembler();
        Label label = assembler.newLabel();
        assembler.bind(label);

        assertThatThrownBy(() -> assembler.bind(label))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bound already");
        assertThatThrownBy(() -> new Assembler().jump(label))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another assembler");
    }

    @Test
    void stackSlotsGrowDownwardsInEights() {
        Assembler assembler = new Assembler();

        assertThat(assembler.stackSlot(8)).isEqualTo(-8);
        assertThat(assembler.stackSlot(1)).isEqualTo(-16);
        assertThat(assembler.stackSlot(24)).isEqualTo(-40);
    }

    @Test
    void slotsThatAreReturnedAreGivenOutAgainAndTheMostOfThemCounts() {
        Assembler assembler = new Assembler();
        assembler.stackSlot(8);
        int taken = assembler.takenStackBytes();
        assertThat(assembler.stackSlot(400)).isEqualTo(-408);
        assembler.returnStack(taken);

        assertThat(assembler.stackSlot(16)).isEqualTo(-24);
        assertThatThrownBy(() -> assembler.callFunction("other", 160))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the call of other does not fit: 408 of the program's 512 stack bytes are taken, and 160 by"
                        + " functions that it calls");
        assertThatThrownBy(() -> assembler.returnStack(32))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("32 of 24 bytes of the stack");
    }

    @Test
    void stackOverFiveHundredTwelveBytesIsRefused() {
        Assembler assembler = new Assembler();
        assembler.stackSlot(512);

        assertThatThrownBy(() -> assembler.stackSlot(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a stack slot of 1 bytes does not fit: 512 of the program's 512 stack bytes are taken");
    }

    @Test
    void operandsThatCannotBeEncodedAreRefused() {
        Assembler assembler = new Assembler();

        assertThatThrownBy(() -> assembler.mov(Register.R10, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("frame pointer");
        assertThatThrownBy(() -> assembler.shiftLeft(Register.R1, 64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 63");
        assertThatThrownBy(() -> assembler.load(Width.BYTE, Register.R1, Register.R2, 40_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 bits");
        assertThatThrownBy(() -> assembler.atomicAdd(Width.HALF, Register.R1, 0, Register.R2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not on HALF");
    }

    private static List<String> text(Assembler assembler) {
        return assembler.assemble().stream().map(Instruction::toString).toList();
    }

    private static List<String> hex(List<Instruction> instructions) {
        return instructions.stream()
                .map(instruction -> {
                    ByteBuffer bytes =
                            ByteBuffer.allocate(Instruction.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                    instruction.writeTo(bytes);
                    return HexFormat.of().formatHex(bytes.array());
                })
                .collect(Collectors.toList());
    }

    @Test
    void callOfAFunctionThatIsToBeLinkedHasItsName() {
        List<Instruction> program =
                new Assembler().callFunction("follow", 64).exit().assemble();

        assertThat(program.get(0).isLinkedCall()).isTrue();
        assertThat(program.get(0).isMapLoad()).isFalse();
        assertThat(program.get(0).symbol()).isEqualTo("follow");
        assertThat(program.get(0)).hasToString("call function[follow]");
        assertThat(program.get(1).isFunctionCall()).isFalse();
        assertThatThrownBy(() -> new Assembler().callFunction("", 64)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stackIsSharedWithTheFunctionsThatAreCalled() {
        Assembler program = new Assembler();
        program.stackSlot(380);
        program.callFunction("follow", 128);

        assertThatThrownBy(() -> program.stackSlot(8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "a stack slot of 8 bytes does not fit: 384 of the program's 512 stack bytes are taken, and 128"
                                + " by functions that it calls");
        assertThatThrownBy(() -> program.callFunction("other", 160))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the call of other does not fit");
    }
}
