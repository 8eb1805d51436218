package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.NumberLiteral;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Operand.Kind;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;

/** The operands of bcc's trace: arg1, retval, $pid, args->field, parameters of a signature, literals, casts. */
final class BccOperands implements Operand.Reader {
    private static final String ALL =
            "arg1, arg2 ..., retval, args->FIELD, the parameters of a signature, $pid, $tgid, $uid, $cpu, $task->comm";

    private final LineScanner line;
    private final Parameters parameters;

    BccOperands(LineScanner line, Parameters parameters) {
        this.line = line;
        this.parameters = parameters;
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
        String what = token.is("*") || token.is("&") ? "reading through a pointer is" : token.shown() + " is";
        throw line.failAt(
                token.position(),
                what + " not supported in bcc's syntax; supported are " + ALL + " (a probe spec can read through"
                        + " pointers: uprobe:fn(n=*arg1:u32@+8))");
    }

    private Operand cast() {
        Token open = line.next();
        String type = TypeNames.read(line)
                .orElseThrow(() -> line.failAt(open.position(), "unknown type: use a C type such as int or char *"));
        line.expect(")", "after the type");
        Operand value = read();
        if (value.kind() != Kind.ARGUMENT) {
            throw line.failAt(open.position(), "only arguments and retval can be cast");
        }
        // %s reads the text of a pointer and %p prints its address: both use the number unchanged.
        return type.equals("ptr") ? value : value.as(type);
    }

    private Operand word(Token word) {
        Operand parameter = parameters.named(word);
        if (parameter != null) {
            return refuseMemberAccess(parameter);
        }
        String text = word.text();
        if (text.matches("arg[0-9]{1,2}")) {
            skipUserMark();
            return refuseMemberAccess(Operand.argument(text, "", word.position()));
        }
        return switch (text) {
            case "retval" -> refuseMemberAccess(Operand.argument("ret", "", word.position()));
            case "args" -> {
                if (!line.take(".")) {
                    line.expect("->", "after args, as in args->filename");
                }
                yield Operand.field(name("the name of a field"), word.position());
            }
            // bcc uses the kernel's terms: pid is the thread id, tgid the process id.
            case "$pid" -> Operand.builtin(Kind.TID, word.position());
            case "$tgid" -> Operand.builtin(Kind.PID, word.position());
            case "$uid" -> Operand.builtin(Kind.UID, word.position());
            case "$cpu" -> Operand.builtin(Kind.CPU, word.position());
            case "$task" -> task(word);
            default -> throw line.failAt(word.position(), "'" + text + "' is not supported; supported are " + ALL);
        };
    }

    private Operand task(Token word) {
        line.expect("->", "after $task");
        String field = name("comm");
        if (!field.equals("comm")) {
            throw line.failAt(
                    word.position(), "only comm of $task is supported; use $pid, $tgid, $uid or $cpu for other values");
        }
        return Operand.builtin(Kind.COMM, word.position());
    }

    private String name(String what) {
        Token name = line.next();
        if (name.kind() != Token.Kind.WORD) {
            throw line.failAt(name.position(), "expected " + what + ", not " + name.shown());
        }
        return name.text();
    }

    /** arg1@user: the suffix is the default, because arguments are always read from user memory. */
    private void skipUserMark() {
        int start = line.position();
        if (!line.next().isWord("@user")) {
            line.moveTo(start);
        }
    }

    private Operand refuseMemberAccess(Operand value) {
        Token next = line.peek();
        if (next.is("->") || next.is(".") || next.is("[")) {
            throw line.failAt(
                    next.position(),
                    "structures are not supported; a probe spec can read by offset: uprobe:fn(n=*arg1:u32@+8)");
        }
        return value;
    }
}
