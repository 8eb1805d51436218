package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MappedArray;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the assembler writes, the kernel runs as it was meant: each operation against Java's own. */
@KernelTest(since = "5.10")
class AssembledProgramTest {
    private static final long LEFT = 0xfedc_ba98_7654_3210L;
    private static final List<Long> RIGHTS = List.of(0L, 1L, 13L, -7L, 0x7fff_ffffL, LEFT);

    private static final Register A = Register.R6;
    private static final Register B = Register.R7;

    @FunctionalInterface
    interface Operation {
        Assembler write(Assembler assembler);
    }

    static Stream<Arguments> operations() {
        return Stream.of(
                operation("add", program -> program.add(A, B), (a, b) -> a + b),
                operation("sub", program -> program.sub(A, B), (a, b) -> a - b),
                operation("mul", program -> program.mul(A, B), (a, b) -> a * b),
                operation("and", program -> program.and(A, B), (a, b) -> a & b),
                operation("or", program -> program.or(A, B), (a, b) -> a | b),
                operation("xor", program -> program.xor(A, B), (a, b) -> a ^ b),
                operation("shiftLeft", program -> program.and(B, 63).shiftLeft(A, B), (a, b) -> a << b),
                operation("shiftRight", program -> program.and(B, 63).shiftRight(A, B), (a, b) -> a >>> b),
                operation(
                        "shiftRightArithmetic",
                        program -> program.and(B, 63).shiftRightArithmetic(A, B),
                        (a, b) -> a >> b),
                operation("negate", program -> program.negate(A), (a, b) -> -a),
                operation("mov", program -> program.mov(A, B), (a, b) -> b),
                operation("mov32", program -> program.mov32(A, B), (a, b) -> b & 0xffff_ffffL),
                operation("mov immediate", program -> program.mov(A, -5), (a, b) -> -5L),
                operation("mov32 immediate", program -> program.mov32(A, -5), (a, b) -> 0xffff_fffbL),
                operation("add immediate", program -> program.add(A, -5), (a, b) -> a - 5),
                operation("sub immediate", program -> program.sub(A, 5), (a, b) -> a - 5),
                operation("mul immediate", program -> program.mul(A, 5), (a, b) -> a * 5),
                operation("and immediate", program -> program.and(A, -16), (a, b) -> a & -16),
                operation("or immediate", program -> program.or(A, 15), (a, b) -> a | 15),
                operation("xor immediate", program -> program.xor(A, 15), (a, b) -> a ^ 15),
                operation("shiftLeft immediate", program -> program.shiftLeft(A, 33), (a, b) -> a << 33),
                operation("shiftRight immediate", program -> program.shiftRight(A, 33), (a, b) -> a >>> 33),
                operation("arithmetic immediate", program -> program.shiftRightArithmetic(A, 33), (a, b) -> a >> 33),
                operation("zeroExtend byte", program -> program.zeroExtend(A, Width.BYTE), (a, b) -> a & 0xff),
                operation("zeroExtend half", program -> program.zeroExtend(A, Width.HALF), (a, b) -> a & 0xffff),
                operation("zeroExtend word", program -> program.zeroExtend(A, Width.WORD), (a, b) -> a & 0xffff_ffffL),
                operation(
                        "signExtend byte",
                        program -> program.signExtend(B, Width.BYTE).mov(A, B),
                        (a, b) -> (long) b.byteValue()),
                operation(
                        "signExtend half",
                        program -> program.signExtend(B, Width.HALF).mov(A, B),
                        (a, b) -> (long) b.shortValue()),
                operation(
                        "signExtend word",
                        program -> program.signExtend(B, Width.WORD).mov(A, B),
                        (a, b) -> (long) b.intValue()),
                operation(
                        "loadImmediate64",
                        program -> program.loadImmediate64(A, 0x1122_3344_5566_7788L),
                        (a, b) -> 0x1122_3344_5566_7788L));
    }

    private static Arguments operation(String name, Operation operation, BiFunction<Long, Long, Long> java) {
        return Arguments.of(name, operation, java);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void arithmeticGivesWhatJavaGives(String name, Operation operation, BiFunction<Long, Long, Long> java) {
        for (long right : RIGHTS) {
            long expected = java.apply(LEFT, right);
            Assembler lower =
                    operation.write(loadArguments()).mov(Register.R0, A).exit();
            Assembler upper = operation
                    .write(loadArguments())
                    .mov(Register.R0, A)
                    .shiftRight(Register.R0, 32)
                    .exit();

            assertThat(TestRun.of(lower, Map.of(), LEFT, right))
                    .as("%s, lower half", name)
                    .isEqualTo((int) expected);
            assertThat(TestRun.of(upper, Map.of(), LEFT, right))
                    .as("%s, upper half", name)
                    .isEqualTo((int) (expected >>> 32));
        }
    }

    @ParameterizedTest
    @EnumSource(Condition.class)
    void conditionsCompareAsJavaDoes(Condition condition) {
        for (long right : RIGHTS) {
            Assembler program = loadArguments().mov(Register.R0, 1);
            Label taken = program.newLabel();
            program.jumpIf(condition, A, B, taken)
                    .mov(Register.R0, 0)
                    .bind(taken)
                    .exit();
            int expected = holds(condition, LEFT, right) ? 1 : 0;

            assertThat(TestRun.of(program, Map.of(), LEFT, right))
                    .as("%x %s %x", LEFT, condition, right)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void storedBytesAreLoadedAgain(Width width) {
        Assembler program = loadArguments();
        int slot = program.stackSlot(8);
        program.storeImmediate(Width.DOUBLE_WORD, Register.R10, slot, 0)
                .store(width, Register.R10, slot, A)
                .load(width, Register.R0, Register.R10, slot)
                .exit();
        long mask = width == Width.DOUBLE_WORD ? -1 : (1L << (8 * width.sizeBytes())) - 1;

        assertThat(TestRun.of(program, Map.of(), LEFT, 0)).isEqualTo((int) (LEFT & mask));
    }

    @Test
    void atomicAddReachesTheMap() {
        try (BpfMap counts = BpfMap.create(MapSpec.array("counts", 8, 1))) {
            Assembler program = new Assembler();
            int key = program.stackSlot(4);
            Label missing = program.newLabel();
            program.storeImmediate(Width.WORD, Register.R10, key, 0)
                    .mov(Register.R2, Register.R10)
                    .add(Register.R2, key)
                    .loadMap(Register.R1, "counts")
                    .call(Helper.MAP_LOOKUP_ELEM)
                    .jumpIf(Condition.EQUAL, Register.R0, 0, missing)
                    .mov(Register.R1, 40)
                    .atomicAdd(Width.DOUBLE_WORD, Register.R0, 0, Register.R1)
                    .mov(Register.R1, 2)
                    .atomicAdd(Width.WORD, Register.R0, 0, Register.R1)
                    .bind(missing)
                    .mov(Register.R0, 0)
                    .exit();
            TestRun.of(program, Map.of("counts", counts));

            assertThat(counts.lookup(BpfMap.key(0)).orElseThrow().getLong()).isEqualTo(42);
        }
    }

    @Test
    void mappedValuesAreThoseOfTheProgram() {
        try (BpfMap sums = BpfMap.create(MapSpec.mappableArray("sums", 16, 300));
                MappedArray mapped = MappedArray.map(sums)) {
            Assembler program = new Assembler();
            int key = program.stackSlot(4);
            Label missing = program.newLabel();
            program.storeImmediate(Width.WORD, Register.R10, key, 299)
                    .mov(Register.R2, Register.R10)
                    .add(Register.R2, key)
                    .loadMap(Register.R1, "sums")
                    .call(Helper.MAP_LOOKUP_ELEM)
                    .jumpIf(Condition.EQUAL, Register.R0, 0, missing)
                    .mov(Register.R1, 42)
                    .atomicAdd(Width.DOUBLE_WORD, Register.R0, 8, Register.R1)
                    .bind(missing)
                    .mov(Register.R0, 0)
                    .exit();
            TestRun.of(program, Map.of("sums", sums));

            assertThat(mapped.get(299, 0)).isZero();
            assertThat(mapped.getAndSet(299, 8, 7)).isEqualTo(42);
            TestRun.of(program, Map.of("sums", sums));
            assertThat(mapped.get(299, 8)).isEqualTo(49);
            assertThatThrownBy(() -> mapped.get(300, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void atomicInstructionsReturnWhatWasThereBefore() {
        Assembler program = new Assembler();
        int slot = program.stackSlot(8);
        program.storeImmediate(Width.DOUBLE_WORD, Register.R10, slot, 5)
                .mov(Register.R6, 7)
                .atomicExchange(Width.DOUBLE_WORD, Register.R10, slot, Register.R6)
                .mov(Register.R7, 10)
                .atomicFetchAdd(Width.DOUBLE_WORD, Register.R10, slot, Register.R7)
                .mov(Register.R0, 16)
                .mov(Register.R8, 1)
                .atomicCompareExchange(Width.DOUBLE_WORD, Register.R10, slot, Register.R8)
                .mov(Register.R9, Register.R0)
                .mov(Register.R0, 17)
                .atomicCompareExchange(Width.DOUBLE_WORD, Register.R10, slot, Register.R8)
                .load(Width.DOUBLE_WORD, Register.R1, Register.R10, slot);
        // 5 and 7 were there before; 17 is not 16, but 17 is 17, and so 1 is there.
        program.mul(Register.R6, 10_000_000)
                .mul(Register.R7, 1_000_000)
                .mul(Register.R9, 10_000)
                .mul(Register.R0, 100)
                .add(Register.R0, Register.R1)
                .add(Register.R0, Register.R6)
                .add(Register.R0, Register.R7)
                .add(Register.R0, Register.R9)
                .exit();

        assertThat(TestRun.of(program, Map.of())).isEqualTo(57_171_701);
    }

    @Test
    void theKernelCallsAFunctionOfTheProgramBack() {
        try (BpfMap counts = BpfMap.create(MapSpec.array("counts", 8, 1))) {
            int calls = 1000;
            Assembler function = new Assembler()
                    .load(Width.DOUBLE_WORD, Register.R3, Register.R2, 0)
                    .atomicAdd(Width.DOUBLE_WORD, Register.R3, 0, Register.R1);
            Label goOn = function.newLabel();
            function.mov(Register.R0, 1)
                    .jumpIf(Condition.EQUAL, Register.R1, 99, goOn)
                    .mov(Register.R0, 0)
                    .bind(goOn)
                    .exit();
            Assembler program = new Assembler();
            int slot = program.stackSlot(8);
            program.loadMapValue(Register.R1, "counts").store(Width.DOUBLE_WORD, Register.R10, slot, Register.R1);
            for (int i = 0; i < 2; i++) {
                program.mov(Register.R1, calls)
                        .loadFunction(Register.R2, function.assemble())
                        .mov(Register.R3, Register.R10)
                        .add(Register.R3, slot)
                        .mov(Register.R4, 0)
                        .call(Helper.LOOP);
            }
            program.exit();

            assertThat(TestRun.of(program, Map.of("counts", counts)))
                    .as("the function ends the loop with its 100th call")
                    .isEqualTo(100);
            assertThat(counts.lookup(BpfMap.key(0)).orElseThrow().getLong()).isEqualTo(2 * 99 * 100 / 2);
            assertThat(program.assemble()).hasSize(program.size() + function.size());
        }
    }

    private static Assembler loadArguments() {
        return new Assembler().load(Width.DOUBLE_WORD, A, Register.R1, 0).load(Width.DOUBLE_WORD, B, Register.R1, 8);
    }

    private static boolean holds(Condition condition, long a, long b) {
        return switch (condition) {
            case EQUAL -> a == b;
            case NOT_EQUAL -> a != b;
            case GREATER -> Long.compareUnsigned(a, b) > 0;
            case GREATER_OR_EQUAL -> Long.compareUnsigned(a, b) >= 0;
            case LESS -> Long.compareUnsigned(a, b) < 0;
            case LESS_OR_EQUAL -> Long.compareUnsigned(a, b) <= 0;
            case SIGNED_GREATER -> a > b;
            case SIGNED_GREATER_OR_EQUAL -> a >= b;
            case SIGNED_LESS -> a < b;
            case SIGNED_LESS_OR_EQUAL -> a <= b;
            case BITS_SET -> (a & b) != 0;
        };
    }
}
