package dev.probestream.collector.internal.v8.layout;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.layout.UnlistedCodeFields.Operations;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Bytecodes;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Codes;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Deoptimization;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.OperandCounts;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Translations;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Types;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/** Reads the layout of V8's code from the symbols and tables of the file that contains V8. */
public final class V8CodeLayoutReader {
    /** static const int counts[] in v8::internal::TranslationOpcodeOperandCount(TranslationOpcode). */
    private static final String OPERAND_COUNTS =
            "_ZZN2v88internal29TranslationOpcodeOperandCountENS0_17TranslationOpcodeEE6counts";

    private static final int BEGIN_OPERANDS = 3;
    private static final int CONTINUATION_OPERANDS = 3;
    private static final int MIN_INTERPRETED_OPERANDS = 3;
    private static final int MAX_OPERANDS = 6;
    /** LITERAL, REGISTER and STACK_SLOT. */
    private static final int VALUES = 3;

    private V8CodeLayoutReader() {}

    /**
     * @throws V8LayoutException if the layout is not known; the message is a reason for the user
     * @throws IOException if the file cannot be read or is malformed
     */
    public static V8CodeLayout read(ElfFile elf, V8Symbols symbols) throws IOException, V8LayoutException {
        UnlistedCodeFields unlisted = KnownV8.code(symbols.version());
        return new V8CodeLayout(
                new Bytecodes(
                        symbols.optionalField("BytecodeArray", "length")
                                .orElse(symbols.field("FixedArrayBase", "length")),
                        unlisted.sourcePositions(),
                        symbols.field("BytecodeArray", "data"),
                        UnlistedCodeFields.INTERPRETER_DATA_BYTECODE,
                        BytecodeSizes.in(table(elf, BytecodeSizes.SYMBOL, BytecodeSizes.MAX_BYTES))
                                .orElseThrow(() -> missing(elf, BytecodeSizes.SYMBOL))),
                unlisted.hasPositionFlags(),
                codes(symbols, unlisted),
                new Deoptimization(
                        symbols.optional("DeoptimizationDataLiteralArrayIndex").orElse(unlisted.literals()),
                        symbols.optional("DeoptimizationDataSharedFunctionInfoIndex")
                                .orElse(unlisted.sharedFunctionInfo()),
                        symbols.optional("DeoptimizationDataInliningPositionsIndex")
                                .orElse(unlisted.inliningPositions())),
                translations(elf, unlisted.operations()),
                unlisted.turbofanSafepoints(),
                unlisted.maglevSafepoints(),
                new Types(
                        symbols.type("Code"),
                        symbols.type("InterpreterData"),
                        symbols.type("ByteArray"),
                        symbols.optionalType("TrustedByteArray").orElse(symbols.type("ByteArray"))));
    }

    private static Codes codes(V8Symbols symbols, UnlistedCodeFields unlisted) throws V8LayoutException {
        boolean isStreamApart = unlisted.streamCode() >= 0;
        int instructionStart =
                symbols.optionalField("Code", "instruction_start").orElse(unlisted.instructionStart());
        return new Codes(
                isStreamApart ? unlisted.streamHeader() : instructionStart,
                unlisted.streamCode(),
                isStreamApart ? instructionStart : -1,
                symbols.optionalField("Code", "instruction_size").orElse(unlisted.instructionSize()),
                symbols.optionalField("Code", "flags").orElse(unlisted.flags()),
                symbols.required("CodeKindFieldMask"),
                symbols.required("CodeKindBaseline"),
                symbols.optionalField("Code", "deoptimization_data").orElse(unlisted.deoptimizationData()),
                symbols.optionalField("Code", "bytecode_offset_table").orElse(unlisted.positionTable()));
    }

    private static Translations translations(ElfFile elf, Operations operations) throws IOException, V8LayoutException {
        ByteBuffer bytes = ByteBuffer.wrap(table(elf, OPERAND_COUNTS, Integer.BYTES * operations.count()))
                .order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < Integer.BYTES * operations.count()) {
            throw missing(elf, OPERAND_COUNTS);
        }
        int[] counts = new int[operations.count()];
        bytes.asIntBuffer().get(counts);
        check(elf, operations, counts);
        return new Translations(
                operations.firstBegin(),
                operations.lastBegin(),
                operations.firstInterpreted(),
                operations.lastInterpreted(),
                operations.firstContinuation(),
                operations.firstContinuation() + 1,
                operations.literal(),
                operations.hasMatchPrevious() ? operations.count() - 1 : -1,
                new OperandCounts(counts));
    }

    /** The operations that are known by number must have the operands that belong to them. */
    private static void check(ElfFile elf, Operations operations, int[] counts) throws V8LayoutException {
        boolean isKnown = !operations.hasMatchPrevious() || counts[counts.length - 1] == 1;
        for (int i = 0; i < counts.length; i++) {
            isKnown &= counts[i] >= 0 && counts[i] <= MAX_OPERANDS;
            if (i >= operations.firstBegin() && i <= operations.lastBegin()) {
                isKnown &= counts[i] == BEGIN_OPERANDS;
            }
            if (i >= operations.firstInterpreted() && i <= operations.lastInterpreted()) {
                isKnown &= counts[i] >= MIN_INTERPRETED_OPERANDS;
            }
            if (i == operations.firstContinuation() || i == operations.firstContinuation() + 1) {
                isKnown &= counts[i] == CONTINUATION_OPERANDS;
            }
            if (i >= operations.literal() && i < operations.literal() + VALUES) {
                isKnown &= counts[i] == 1;
            }
        }
        if (!isKnown) {
            throw new V8LayoutException(
                    "the operations of translations in " + elf.name() + " are not those of its version"
                            + " of V8, so that lines of calls and inlined functions are not shown");
        }
    }

    private static byte[] table(ElfFile elf, String symbol, int maxBytes) throws IOException, V8LayoutException {
        OptionalLong address = elf.symbolAddress(symbol);
        if (address.isEmpty()) {
            throw missing(elf, symbol);
        }
        ByteBuffer bytes = elf.bytesAt(address.getAsLong(), maxBytes);
        byte[] table = new byte[bytes.remaining()];
        bytes.get(table);
        return table;
    }

    private static V8LayoutException missing(ElfFile elf, String symbol) {
        return new V8LayoutException(elf.name() + " has no table " + symbol
                + ", so that lines of calls and inlined functions are not shown");
    }
}
