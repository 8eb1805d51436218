package dev.probestream.collector.probe;

import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the list of arguments of a spec, what follows the opening parenthesis. */
final class ArgumentListParser {
    /** The bits of {@code Event.unavailable}, of which the last is the returned value's. */
    private static final int MAX_ARGUMENTS = 63;

    private final SpecText text;
    private final ProbeKind kind;
    private final List<ArgumentSpec> arguments = new ArrayList<>();
    private Optional<ReturnSpec> result = Optional.empty();
    private String resultName = "";

    ArgumentListParser(SpecText text, ProbeKind kind) {
        this.text = text;
        this.kind = kind;
    }

    List<ArgumentSpec> arguments() {
        return arguments;
    }

    Optional<ReturnSpec> result() {
        return result;
    }

    /** What the returned value is called; "" when it is not recorded. */
    String resultName() {
        return resultName;
    }

    void parse() {
        if (kind == ProbeKind.SYSCALLS || kind == ProbeKind.SCHED) {
            throw text.failAt(text.position() - 1, kind.spelling() + " takes no arguments");
        }
        if (text.take(')')) {
            return;
        }
        do {
            argument();
        } while (text.take(','));
        text.expect(')', "or ',' after an argument");
    }

    /** Reads one argument that is no returned value. */
    ArgumentSpec single() {
        int start = text.position();
        argument();
        if (arguments.isEmpty()) {
            throw text.failAt(start, "expected an argument, e.g. arg1");
        }
        return arguments.get(0);
    }

    private void argument() {
        text.skipBlanks();
        int start = text.position();
        String name = text.word();
        if (name.isEmpty() || !text.take('=')) {
            name = "";
            text.moveTo(start);
        }
        boolean dereferenced = text.take('*');
        ArgumentSource source = source();
        String shownName = name.isEmpty() ? defaultName(source) : name;
        long addend = addend(dereferenced);
        text.skipBlanks();
        int typePosition = text.position();
        ArgumentType type = type(source);
        long dereferenceOffset = dereferenceOffset(dereferenced);
        boolean atReturn = atReturn();
        if (source.kind() == ArgumentSource.Kind.RETURN_VALUE) {
            if (!dereferenced && !type.isText()) {
                result(start, shownName, addend, type);
                return;
            }
            atReturn = kind == ProbeKind.SPAN;
        }
        if (dereferenced && type.form() == ArgumentType.Form.DECLARED) {
            throw text.failAt(typePosition, "expected ':' and the type of what the field points to");
        }
        add(
                start,
                new ArgumentSpec(
                        shownName,
                        source,
                        addend,
                        dereferenced ? OptionalLong.of(dereferenceOffset) : OptionalLong.empty(),
                        type,
                        atReturn,
                        "",
                        FlowStep.NONE,
                        Map.of()));
    }

    private void add(int start, ArgumentSpec argument) {
        if (arguments.stream().anyMatch(other -> other.name().equals(argument.name()))) {
            throw text.failAt(start, "a second argument is called " + argument.name());
        }
        if (arguments.size() == MAX_ARGUMENTS) {
            throw text.failAt(start, "more than " + MAX_ARGUMENTS + " arguments");
        }
        arguments.add(argument);
    }

    private void result(int start, String name, long addend, ArgumentType type) {
        if (result.isPresent()) {
            throw text.failAt(start, "the returned value is recorded already");
        }
        if (addend != 0) {
            throw text.failAt(start, "the returned value is recorded as it is: nothing can be added to it");
        }
        result = Optional.of(new ReturnSpec(type, ""));
        resultName = name;
    }

    private static String defaultName(ArgumentSource source) {
        return switch (source.kind()) {
            case ARGUMENT, RAW -> "arg" + source.number();
            case FIELD -> source.field();
            case RETURN_VALUE -> "result";
        };
    }

    private ArgumentSource source() {
        text.skipBlanks();
        int start = text.position();
        String word = text.word();
        if (word.isEmpty()) {
            throw text.failAt(start, "expected an argument, e.g. " + example());
        }
        return switch (kind) {
            case TRACEPOINT -> ArgumentSource.field(word);
            case RAWTRACEPOINT -> ArgumentSource.raw(argumentNumber(word, start));
            case UPROBE, SPAN, URETPROBE -> functionValue(word, start);
            case USDT, USER -> ArgumentSource.argument(argumentNumber(word, start));
            case SYSCALLS, SCHED -> throw text.failAt(start, kind.spelling() + " takes no arguments");
        };
    }

    private ArgumentSource functionValue(String word, int start) {
        if (word.equals("ret") || word.equals("retval")) {
            if (kind == ProbeKind.UPROBE) {
                throw text.failAt(start, "nothing has been returned yet at a uprobe: use uretprobe: or span:");
            }
            return ArgumentSource.RETURN_VALUE;
        }
        int number = argumentNumber(word, start);
        if (kind == ProbeKind.URETPROBE) {
            throw text.failAt(
                    start, "the arguments are gone when the function returns: use span:, which reads them at entry");
        }
        return ArgumentSource.argument(number);
    }

    private int argumentNumber(String word, int start) {
        if (word.equals("arg0")) {
            throw text.failAt(start, "arguments count from 1: arg0 is written arg1");
        }
        if (!word.matches("arg[1-9][0-9]?")) {
            throw text.failAt(start, "expected an argument, e.g. " + example());
        }
        int number = Integer.parseInt(word.substring(3));
        int most = kind.isUserFunction() ? 8 : 12;
        if (number > most) {
            throw text.failAt(start, "expected at most arg" + most);
        }
        return number;
    }

    private String example() {
        return switch (kind) {
            case UPROBE, USDT, USER -> "arg1";
            case SPAN -> "arg1 or ret";
            case URETPROBE -> "ret";
            case TRACEPOINT -> "the name of one of the tracepoint's fields";
            case RAWTRACEPOINT -> "arg1";
            case SYSCALLS, SCHED -> "none";
        };
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

    private long dereferenceOffset(boolean dereferenced) {
        text.skipBlanks();
        int start = text.position();
        if (!text.take('@')) {
            return 0;
        }
        if (!dereferenced) {
            throw text.failAt(start, "an offset needs a pointer: *arg1:u32@+8");
        }
        boolean negative = text.take('-');
        if (!negative) {
            text.take('+');
        }
        return signed(negative, "the offset in bytes");
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
        String word = text.word();
        if (word.isEmpty()) {
            return false;
        }
        if (!word.equals("at") || !text.word().equals("return")) {
            throw text.failAt(start, "expected 'at return', ',' or ')'");
        }
        if (kind != ProbeKind.SPAN) {
            throw text.failAt(start, "'at return' makes sense for span: only");
        }
        return true;
    }

    private ArgumentType type(ArgumentSource source) {
        if (!text.take(':')) {
            boolean isDeclared =
                    source.kind() == ArgumentSource.Kind.FIELD || kind == ProbeKind.USDT || kind == ProbeKind.USER;
            return isDeclared ? ArgumentType.DECLARED : ArgumentType.S64;
        }
        text.skipBlanks();
        int start = text.position();
        String word = text.word();
        if (word.equals("char")) {
            return ArgumentType.chars(size(start));
        }
        if (word.equals("str") && text.at('[')) {
            return ArgumentType.string(size(start));
        }
        return ArgumentType.ofSpelling(word)
                .orElseThrow(() -> text.failAt(
                        start,
                        "expected a type: s8 u8 s16 u16 s32 u32 s64 u64 ptr bool str str[CAPACITY] or char[SIZE]"));
    }

    private int size(int typePosition) {
        if (!text.take('[')) {
            throw text.failAt(typePosition, "expected a size, e.g. char[16]");
        }
        text.skipBlanks();
        int start = text.position();
        long size = text.number("a size in bytes");
        if (size < 1 || size > ArgumentType.MAX_STRING_BYTES) {
            throw text.failAt(start, "expected a size of 1 to " + ArgumentType.MAX_STRING_BYTES + " bytes");
        }
        text.expect(']', "after the size");
        return (int) size;
    }
}
