package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one value of a probe: {@code ['*'] SOURCE [(+|-)N] [':' TYPE] {'@' [(+|-)N]} ['at' 'return']}. */
final class ValueParser {
    /** No known structure needs a longer chain of pointers. */
    private static final int MAX_DEREFERENCES = 8;

    /** Man page syscall(2). */
    private static final int MAX_SYSCALL_ARGUMENTS = 6;

    private static final String ARGS = "args";

    private final SpecText text;
    private final ProbeKind kind;

    ValueParser(SpecText text, ProbeKind kind) {
        this.text = text;
        this.kind = kind;
    }

    /**
     * A value as it is written.
     *
     * @param dereferenceOffsetsBytes as {@link ArgumentSpec#dereferenceOffsetsBytes()}
     * @param type empty when none is written
     * @param typePosition where it stands or would stand
     */
    record Value(
            ArgumentSource source,
            long addend,
            List<Long> dereferenceOffsetsBytes,
            Optional<ArgumentType> type,
            int typePosition,
            boolean atReturn) {
        /** Whether the value is what the source holds, nothing added and nothing followed. */
        boolean isPlain() {
            return addend == 0 && dereferenceOffsetsBytes.isEmpty() && !atReturn;
        }

        ArgumentSpec named(String name, ArgumentType itsType, boolean isAtReturn) {
            return new ArgumentSpec(
                    name,
                    source,
                    addend,
                    dereferenceOffsetsBytes,
                    itsType,
                    isAtReturn,
                    "",
                    FlowStep.NONE,
                    Map.of(),
                    TextRule.PLAIN);
        }
    }

    Value parse() {
        return parse(true);
    }

    /** A value of a computation, where + and - belong to the computation. */
    Value parseOperand() {
        return parse(false);
    }

    private Value parse(boolean mayAdd) {
        boolean dereferenced = text.take('*');
        int start = text.position();
        ArgumentSource source = source();
        if (source.kind() == ArgumentSource.Kind.CONTEXT) {
            return context(source, dereferenced, start);
        }
        long addend = mayAdd ? addend(dereferenced) : 0;
        text.skipBlanks();
        int typePosition = text.position();
        Optional<ArgumentType> type = new TypeParser(text, this, kind).parse(source, addend != 0, dereferenced);
        List<Long> offsets = dereferences(dereferenced);
        boolean isHeader = type.isPresent() && type.get().form() == ArgumentType.Form.HTTP2_HEADER;
        if (isHeader && offsets.size() != 2) {
            throw text.failAt(
                    typePosition,
                    "a header of HTTP/2 needs two offsets: of the streams in the session, of the headers in a stream");
        }
        return new Value(source, addend, offsets, type, typePosition, atReturn());
    }

    /** What the hit has by itself; its type is known. */
    private Value context(ArgumentSource source, boolean dereferenced, int start) {
        if (dereferenced) {
            throw text.failAt(start, source.field() + " is no pointer");
        }
        ArgumentType type = source.contextValue().type();
        return new Value(source, 0, List.of(), Optional.of(type), text.position(), false);
    }

    /**
     * The type of a value that is written without one.
     *
     * @throws SpecSyntaxException when it must be written
     */
    ArgumentType defaultType(Value value) {
        boolean isDeclared =
                value.source().kind() == ArgumentSource.Kind.FIELD || kind.isUsdt() || kind == ProbeKind.USER;
        if (isDeclared && !value.dereferenceOffsetsBytes().isEmpty()) {
            throw text.failAt(value.typePosition(), "expected ':' and the type of what the field points to");
        }
        return isDeclared ? ArgumentType.DECLARED : ArgumentType.S64;
    }

    static String defaultName(ArgumentSource source) {
        return switch (source.kind()) {
            case ARGUMENT, RAW -> "arg" + source.number();
            case FIELD, CONTEXT -> source.field();
            case RETURN_VALUE -> "result";
        };
    }

    private ArgumentSource source() {
        text.skipBlanks();
        int start = text.position();
        String word = text.word();
        if (word.isEmpty()) {
            throw text.failAt(start, "expected an argument, e.g. " + kind.argumentExample());
        }
        Optional<ArgumentSource.ContextValue> context = ArgumentSource.ContextValue.ofWord(word);
        if (context.isPresent() && kind.hasAsyncContext()) {
            return ArgumentSource.context(context.get());
        }
        return switch (kind) {
            case TRACEPOINT -> ArgumentSource.field(field(word));
            case RAWTRACEPOINT -> ArgumentSource.raw(argumentNumber(word, start));
            case UPROBE, SPAN, URETPROBE, SYSCALL, SYS_EXIT -> functionValue(word, start);
            case USDT, USDTSPAN, USER -> ArgumentSource.argument(argumentNumber(word, start));
            case PAIR, SYSCALLS, SCHED, SIGNALS, PROFILE, PROCESS ->
                throw text.failAt(start, kind.spelling() + " takes no arguments");
        };
    }

    private String field(String word) {
        if (!word.equals(ARGS) || !text.at('.')) {
            return word;
        }
        text.take('.');
        int start = text.position();
        String field = text.word();
        if (field.isEmpty()) {
            throw text.failAt(start, "expected the name of one of the tracepoint's fields");
        }
        return field;
    }

    private ArgumentSource functionValue(String word, int start) {
        if (word.equals("ret") || word.equals("retval")) {
            if (kind == ProbeKind.UPROBE) {
                throw text.failAt(start, "nothing has been returned yet at a uprobe: use uretprobe: or span:");
            }
            return ArgumentSource.RETURN_VALUE;
        }
        int number = argumentNumber(word, start);
        rejectArgumentAtReturn(start);
        return ArgumentSource.argument(number);
    }

    void rejectArgumentAtReturn(int start) {
        if (kind == ProbeKind.URETPROBE) {
            throw text.failAt(
                    start, "the arguments are gone when the function returns: use span:, which reads them at entry");
        }
    }

    int argumentNumber(String word, int start) {
        if (word.equals("arg0")) {
            throw text.failAt(start, "arguments count from 1: arg0 is written arg1");
        }
        if (!word.matches("arg[1-9][0-9]?")) {
            throw text.failAt(start, "expected an argument, e.g. " + kind.argumentExample());
        }
        int number = Integer.parseInt(word.substring(3));
        int most = kind.isOneSyscall() ? MAX_SYSCALL_ARGUMENTS : ArgumentSource.MAX_NUMBER;
        if (number > most) {
            throw text.failAt(start, "expected at most arg" + most);
        }
        return number;
    }

    private long addend(boolean dereferenced) {
        text.skipBlanks();
        int start = text.position();
        boolean negative = text.at('-');
        if (!text.take('-') && !text.take('+')) {
            return 0;
        }
        if (dereferenced) {
            throw text.failAt(start, "the offset of what a pointer points to is written behind the type: *arg1:u32@+8");
        }
        if (kind == ProbeKind.TRACEPOINT) {
            throw text.failAt(start, "nothing can be added to a tracepoint's field");
        }
        return signed(negative, "what to add");
    }

    private List<Long> dereferences(boolean dereferenced) {
        List<Long> offsets = new ArrayList<>();
        text.skipBlanks();
        for (int start = text.position(); text.take('@'); start = text.position()) {
            if (!dereferenced) {
                throw text.failAt(start, "an offset needs a pointer: *arg1:u32@+8");
            }
            if (offsets.size() == MAX_DEREFERENCES) {
                throw text.failAt(start, "more than " + MAX_DEREFERENCES + " pointers to follow");
            }
            boolean negative = text.take('-');
            if (!negative) {
                text.take('+');
            }
            offsets.add(signed(negative, "the offset in bytes"));
            text.skipBlanks();
        }
        return dereferenced && offsets.isEmpty() ? List.of(0L) : offsets;
    }

    private long signed(boolean negative, String what) {
        text.skipBlanks();
        int start = text.position();
        long value = text.number(what);
        if (value > Integer.MAX_VALUE) {
            throw text.failAt(start, "expected " + what + ", at most " + Integer.MAX_VALUE);
        }
        return negative ? -value : value;
    }

    private boolean atReturn() {
        text.skipBlanks();
        int start = text.position();
        if (!text.word().equals("at")) {
            text.moveTo(start);
            return false;
        }
        if (!text.word().equals("return")) {
            throw text.failAt(start, "expected 'at return'");
        }
        if (!kind.isSpan()) {
            throw text.failAt(start, "'at return' makes sense for span: and usdtspan: only");
        }
        return true;
    }
}
