package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterComparison.Sign;
import dev.probestream.collector.probe.FilterOperand;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Emits the comparisons of texts with literals: as much of the text as the literal is long, and one byte more where its end
 * matters, is copied to the stack and compared by words. What a record keeps of the text does not matter here.
 */
final class TextTestCode {
    /** For the NUL behind the text, and for the one byte that shows it to go on. */
    private static final int BYTES_BEHIND_LITERAL = 2;

    private static final int COMM_SIZE_BYTES = 16;

    private final Assembler assembler;
    private final ArgumentCode arguments;
    private final HitFieldCode hit;
    /** Where on the stack the text at hand stands. */
    private int bufferSlot;

    TextTestCode(Assembler assembler, ArgumentCode arguments, HitFieldCode hit) {
        this.assembler = assembler;
        this.arguments = arguments;
        this.hit = hit;
    }

    /** Takes the stack that the filter's texts need; they use it one after the other. */
    void makeRoom(Filter filter) {
        int longest = filter.comparisons().stream()
                .filter(FilterComparison::isOfText)
                .mapToInt(comparison -> literal(comparison).length + BYTES_BEHIND_LITERAL)
                .max()
                .orElse(0);
        if (longest > 0) {
            bufferSlot = assembler.stackSlot(Math.max(longest, COMM_SIZE_BYTES));
        }
    }

    /** Ends in a jump to either label; a text that cannot be read fails. May lose R0 to R5. */
    void decide(FilterComparison comparison, boolean isNegated, Label holds, Label fails) {
        byte[] literal = literal(comparison);
        boolean isWhole = comparison.sign() != Sign.BEGINS_WITH;
        boolean wantsDifference = (comparison.sign() == Sign.NOT_EQUAL) != isNegated;
        Label same = wantsDifference ? fails : holds;
        Label different = wantsDifference ? holds : fails;
        if (comparison.left().kind() == FilterOperand.Kind.COMM) {
            hit.comm(bufferSlot);
            compare(isWhole ? withNul(literal) : literal, same, different);
            return;
        }
        ArgumentSpec argument = comparison.left().argument().orElseThrow();
        switch (argument.type().form()) {
            case STR -> string(argument, literal, isWhole, same, different, fails);
            case CHARS -> characters(argument, literal, isWhole, same, different, fails);
            case COUNTED, UP_TO -> counted(argument, literal, isWhole, same, different, fails);
            case SOCKADDR,
                    PEER,
                    SOCKNAME,
                    UVSTREAM,
                    UVREADER,
                    S8,
                    U8,
                    S16,
                    U16,
                    S32,
                    U32,
                    S64,
                    U64,
                    PTR,
                    BOOL,
                    F32,
                    F64,
                    HTTP2_HEADER,
                    DECLARED ->
                throw new IllegalArgumentException("argument " + argument.name() + " is no text to compare");
        }
    }

    /**
     * The comparisons that these parts begin with, if they are several and ask for the beginning of one and the same text:
     * what a list of methods or commands is. They can share one reading of it.
     */
    static List<FilterComparison> beginningsOfOneText(List<Filter> parts) {
        List<FilterComparison> beginnings = parts.stream()
                .takeWhile(part ->
                        part.comparison().filter(TextTestCode::isOfBeginning).isPresent())
                .map(part -> part.comparison().orElseThrow())
                .toList();
        List<FilterComparison> ofOneText = beginnings.stream()
                .takeWhile(
                        comparison -> comparison.left().equals(beginnings.get(0).left()))
                .toList();
        return ofOneText.size() < 2 ? List.of() : ofOneText;
    }

    private static boolean isOfBeginning(FilterComparison comparison) {
        return comparison.sign() == FilterComparison.Sign.BEGINS_WITH
                && !comparison.right().text().isEmpty()
                && comparison.left().argument().stream()
                        .anyMatch(argument -> switch (argument.type().form()) {
                            case STR, COUNTED, UP_TO -> true;
                            case CHARS,
                                    SOCKADDR,
                                    PEER,
                                    SOCKNAME,
                                    UVSTREAM,
                                    UVREADER,
                                    S8,
                                    U8,
                                    S16,
                                    U16,
                                    S32,
                                    U32,
                                    S64,
                                    U64,
                                    PTR,
                                    BOOL,
                                    F32,
                                    F64,
                                    HTTP2_HEADER,
                                    DECLARED -> false;
                        });
    }

    /**
     * Whether a text begins with any of the literals, of which none is empty: it is read once, as much as the longest asks
     * for. What a shorter text does not fill is a NUL, which no literal has. Ends in a jump to either label; may lose R0 to R5.
     */
    void decideBeginnings(List<FilterComparison> comparisons, Label holds, Label fails) {
        ArgumentSpec argument = comparisons.get(0).left().argument().orElseThrow();
        int longest = comparisons.stream()
                .mapToInt(comparison -> literal(comparison).length)
                .max()
                .orElseThrow();
        if (argument.type().form() == ArgumentType.Form.STR) {
            arguments.string(argument, longest + 1, bufferSlot, fails);
        } else {
            for (int offset = 0; offset < longest; offset += Long.BYTES) {
                assembler.storeImmediate(Width.DOUBLE_WORD, R10, bufferSlot + offset, 0);
            }
            int pair = arguments.countedText(argument, fails);
            arguments.countedBytesAtMost(argument, pair, longest, bufferSlot, fails);
        }
        for (FilterComparison comparison : comparisons.subList(0, comparisons.size() - 1)) {
            Label next = assembler.newLabel();
            compare(literal(comparison), holds, next);
            assembler.bind(next);
        }
        compare(literal(comparisons.get(comparisons.size() - 1)), holds, fails);
    }

    private void string(
            ArgumentSpec argument, byte[] literal, boolean isWhole, Label same, Label different, Label fails) {
        int sizeBytes = literal.length + (isWhole ? BYTES_BEHIND_LITERAL : 1);
        arguments.string(argument, sizeBytes, bufferSlot, fails);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, literal.length + 1, different);
        compare(literal, same, different);
    }

    private void characters(
            ArgumentSpec argument, byte[] literal, boolean isWhole, Label same, Label different, Label fails) {
        int sizeBytes = argument.type().capacityBytes();
        if (literal.length > sizeBytes) {
            FilterCode.always(assembler, different, same);
            return;
        }
        byte[] expected = isWhole && literal.length < sizeBytes ? withNul(literal) : literal;
        if (expected.length > 0) {
            arguments.characters(argument, expected.length, bufferSlot, fails);
        }
        compare(expected, same, different);
    }

    private void counted(
            ArgumentSpec argument, byte[] literal, boolean isWhole, Label same, Label different, Label fails) {
        int pair = arguments.countedText(argument, fails);
        assembler.load(Width.DOUBLE_WORD, R1, R10, pair + Long.BYTES);
        assembler.jumpIf(isWhole ? Condition.NOT_EQUAL : Condition.LESS, R1, literal.length, different);
        if (literal.length > 0) {
            arguments.countedBytes(argument, pair, literal.length, bufferSlot, fails);
        }
        compare(literal, same, different);
    }

    /** Compares what stands in the buffer, 8, 4, 2 or 1 bytes at a time. */
    private void compare(byte[] expected, Label same, Label different) {
        ByteBuffer words = ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            int offset = bufferSlot + words.position();
            if (words.remaining() >= Long.BYTES) {
                compare(Width.DOUBLE_WORD, offset, words.getLong(), different);
            } else if (words.remaining() >= Integer.BYTES) {
                compare(Width.WORD, offset, Integer.toUnsignedLong(words.getInt()), different);
            } else if (words.remaining() >= Short.BYTES) {
                compare(Width.HALF, offset, Short.toUnsignedLong(words.getShort()), different);
            } else {
                compare(Width.BYTE, offset, Byte.toUnsignedLong(words.get()), different);
            }
        }
        FilterCode.always(assembler, same, different);
    }

    private void compare(Width width, int offset, long expected, Label different) {
        assembler.load(width, R1, R10, offset);
        if (expected == (int) expected) {
            assembler.jumpIf(Condition.NOT_EQUAL, R1, (int) expected, different);
        } else {
            assembler.loadImmediate64(R2, expected).jumpIf(Condition.NOT_EQUAL, R1, R2, different);
        }
    }

    private static byte[] literal(FilterComparison comparison) {
        return comparison.right().text().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] withNul(byte[] text) {
        return Arrays.copyOf(text, text.length + 1);
    }
}
