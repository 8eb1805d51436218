package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.NumberLiteral;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Operand.Kind;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;
import java.util.Map;

/**
 * The operands of bpftrace that can be printed or compared: built-ins, args.field, str(), literals, casts of numbers.
 */
final class BpftraceOperands implements Operand.Reader {
    private static final String ALL =
            "arg0, arg1 ..., args.FIELD, retval, str(), pid, tid, uid, cpu, comm, nsecs, elapsed, probe, func, ustack,"
                    + " kstack";
    private static final Map<String, Kind> BUILTINS = Map.of(
            "pid", Kind.PID,
            "tid", Kind.TID,
            "uid", Kind.UID,
            "cpu", Kind.CPU,
            "comm", Kind.COMM,
            "nsecs", Kind.TIMESTAMP,
            "elapsed", Kind.ELAPSED,
            "func", Kind.FUNCTION);
    private static final long MAX_TEXT_BYTES = 4096;

    private final LineScanner line;
    private final String attachPoint;
    private final KeptValues kept;

    /**
     * @param attachPoint the probe as written in the program, the value of {@code probe}
     * @param kept what another probe of the program kept for it
     */
    BpftraceOperands(LineScanner line, String attachPoint, KeptValues kept) {
        this.line = line;
        this.attachPoint = attachPoint;
        this.kept = kept;
    }

    KeptValues kept() {
        return kept;
    }

    @Override
    public Operand read() {
        line.enter(line.peek());
        Operand value = operand();
        line.leave();
        return value;
    }

    private Operand operand() {
        if (TypeNames.isNext(line)) {
            return cast();
        }
        Token token = line.next();
        return switch (token.kind()) {
            case NUMBER -> NumberLiteral.signed(line, token);
            case STRING -> Operand.literal(token.text(), token.position());
            case CHARACTER -> NumberLiteral.character(line, token);
            case WORD -> word(token);
            case SIGN -> sign(token);
            case END -> throw line.failAt(token.position(), "expected a value: " + ALL);
        };
    }

    private Operand sign(Token token) {
        if (token.is("-")) {
            return NumberLiteral.signed(line, token);
        }
        if (token.is("(")) {
            Operand value = read();
            line.expect(")", "after the value");
            return value;
        }
        if (token.is("*")) {
            throw line.failAt(
                    token.position(),
                    "reading through a pointer is not supported in bpftrace's syntax; a probe spec supports it:"
                            + " uprobe:fn(n=*arg1:u32@+8)");
        }
        throw line.failAt(token.position(), "expected a value, not " + token.shown() + ": " + ALL);
    }

    private Operand cast() {
        Token open = line.next();
        String type = TypeNames.read(line).orElseThrow();
        if (type.equals("ptr")) {
            throw line.failAt(
                    open.position(),
                    "casts to pointers are not supported; use str(arg0) for text, or a probe spec to read by offset:"
                            + " uprobe:fn(n=*arg1:u32@+8)");
        }
        line.expect(")", "after the type");
        Operand value = read();
        if (value.kind() != Kind.ARGUMENT) {
            throw line.failAt(open.position(), "only arguments and retval can be cast");
        }
        return value.as(type);
    }

    private Operand word(Token word) {
        String text = word.text();
        if (text.startsWith(Operand.KEPT_MARK)) {
            if (!kept.has(word)) {
                throw line.failAt(word.position(), BpftraceProgram.NO_MAPS);
            }
            return kept.read(word, this);
        }
        if (text.startsWith("$")) {
            throw line.failAt(word.position(), BpftraceProgram.NO_VARIABLES);
        }
        if (text.matches("arg[0-9]{1,2}")) {
            return refuseMemberAccess(argument(word));
        }
        if (text.equals("nsecs") && isSinceBegin()) {
            line.expect("-", "after nsecs");
            kept.read(line.next(), this);
            return Operand.builtin(Kind.DURATION, word.position());
        }
        Kind builtin = BUILTINS.get(text);
        if (builtin != null) {
            return Operand.builtin(builtin, word.position());
        }
        return switch (text) {
            case "retval" -> refuseMemberAccess(Operand.argument("ret", "", word.position()));
            case "args" -> field(word);
            case "str" -> text(word);
            case "probe" -> probe(word);
            case "ustack" -> stack(Kind.USER_STACK, word);
            case "kstack" -> stack(Kind.KERNEL_STACK, word);
            case "cgroup" ->
                throw line.failAt(word.position(), "cgroup is not supported: select it by the option --cgroup FOLDER");
            case "usym", "ksym", "reg" ->
                throw line.failAt(
                        word.position(),
                        text
                                + "() is not supported: func is the probed function, and the options -U and -K print stacks");
            default ->
                throw line.failAt(
                        word.position(),
                        "'" + text + (line.peek().is("(") ? "()" : "") + "' is not supported; supported are " + ALL);
        };
    }

    /** Whether the time of a begin is subtracted next. */
    private boolean isSinceBegin() {
        int start = line.position();
        boolean isMinus = line.take("-");
        Token map = line.next();
        line.moveTo(start);
        return isMinus && kept.has(map) && kept.isTime(map.text());
    }

    private static Operand argument(Token word) {
        int number = Integer.parseInt(word.text().substring("arg".length())) + 1;
        return Operand.argument("arg" + number, "", word.position());
    }

    private Operand field(Token word) {
        if (!line.take(".")) {
            line.expect("->", "after args, as in args.filename");
        }
        Token name = line.next();
        if (name.kind() != Token.Kind.WORD) {
            throw line.failAt(name.position(), "expected the name of a field, not " + name.shown());
        }
        if (!attachPoint.matches("(tracepoint|t):.*")) {
            throw line.failAt(
                    word.position(),
                    "only a tracepoint has fields; names of parameters are not read from debug information: use arg0,"
                            + " arg1 ...");
        }
        return refuseMemberAccess(Operand.field(name.text(), word.position()));
    }

    /**
     * str(x) or str(x, n). A number counts the NUL at the end, as since bpftrace 0.23: of str(x, 3), at most two bytes are
     * printed. If n is an argument, it is the length: exactly n bytes.
     */
    private Operand text(Token word) {
        line.expect("(", "after str");
        Operand pointer = read();
        if (pointer.kind() != Kind.ARGUMENT && pointer.kind() != Kind.FIELD) {
            throw line.failAt(pointer.position(), "str() takes an argument, a field or retval");
        }
        Operand text = line.take(",") ? sized(pointer, word) : Operand.text(pointer.source(), "str", word.position());
        line.expect(")", "after the argument of str()");
        return text;
    }

    private Operand sized(Operand pointer, Token word) {
        Operand size = read();
        if (size.kind() == Kind.ARGUMENT
                && pointer.kind() == Kind.ARGUMENT
                && size.source().startsWith("arg")) {
            return Operand.text(pointer.source(), "str[" + size.source() + "]", word.position());
        }
        if (size.kind() != Kind.NUMBER || size.number() < 1 || size.number() > MAX_TEXT_BYTES) {
            throw line.failAt(
                    size.position(),
                    "the size of str() must be 1 to " + MAX_TEXT_BYTES + ", or an argument"
                            + (pointer.kind() == Kind.FIELD
                                    ? "; a field's text has no other field as its length: use str(args."
                                            + pointer.source() + ", 64)"
                                    : ""));
        }
        return Operand.sizedText(pointer.source(), size.number(), word.position());
    }

    private Operand probe(Token word) {
        boolean isGlob = attachPoint.indexOf('*') >= 0 || attachPoint.indexOf('?') >= 0;
        String before = isGlob ? attachPoint.substring(0, attachPoint.lastIndexOf(':') + 1) : attachPoint;
        return isGlob
                ? new Operand(Kind.PROBE, before, "", 0, word.position())
                : Operand.literal(before, word.position());
    }

    private Operand stack(Kind kind, Token word) {
        if (!line.take("(") || line.take(")")) {
            return Operand.stack(kind, 0, word.position());
        }
        Token frames = line.next();
        if (frames.kind() != Token.Kind.NUMBER) {
            throw line.failAt(
                    frames.position(), "the format of a stack is not supported, only the number of frames: ustack(5)");
        }
        line.expect(")", "after the number of frames");
        return Operand.stack(kind, NumberLiteral.read(line, frames), word.position());
    }

    private Operand refuseMemberAccess(Operand value) {
        Token next = line.peek();
        if (next.is("->") || next.is(".") || next.is("[")) {
            throw line.failAt(
                    next.position(),
                    "structures and arrays are not supported; a probe spec can read by offset:"
                            + " uprobe:fn(n=*arg1:u32@+8)");
        }
        return value;
    }
}
