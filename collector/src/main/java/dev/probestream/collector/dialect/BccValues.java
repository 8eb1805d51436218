package dev.probestream.collector.dialect;

import dev.probestream.collector.dialect.Value.Kind;

/** The operands of bcc's trace: arg1, retval, $pid, args->field, parameters of a signature, literals, casts. */
final class BccValues implements ValueReader {
    private static final String ALL =
            "arg1, arg2 ..., retval, args->FIELD, the parameters of a signature, $pid, $tgid, $uid, $cpu, $task->comm";

    private final LineText line;
    private final Parameters parameters;

    BccValues(LineText line, Parameters parameters) {
        this.line = line;
        this.parameters = parameters;
    }

    @Override
    public Value read() {
        line.enter(line.peek());
        Value value = operand();
        line.leave();
        return value;
    }

    private Value operand() {
        if (CastText.isNext(line)) {
            return cast();
        }
        Token token = line.next();
        return switch (token.kind()) {
            case NUMBER -> NumberText.signed(line, token);
            case STRING -> Value.literal(token.text(), token.position());
            case CHARACTER -> NumberText.character(line, token);
            case WORD -> word(token);
            case SIGN -> sign(token);
            case END -> throw line.failAt(token.position(), "expected a value: " + ALL);
        };
    }

    private Value sign(Token token) {
        if (token.is("-")) {
            return NumberText.signed(line, token);
        }
        if (token.is("(")) {
            Value value = read();
            line.expect(")", "after the value");
            return value;
        }
        String what = token.is("*") || token.is("&") ? "reading through a pointer is" : token.shown() + " is";
        throw line.failAt(
                token.position(),
                what + " not supported in bcc's spelling; there are " + ALL
                        + " (a spec of ours reads through pointers: uprobe:fn(n=*arg1:u32@+8))");
    }

    private Value cast() {
        Token open = line.next();
        String type = CastText.read(line)
                .orElseThrow(() -> line.failAt(open.position(), "this type is not known; there are int, char * ..."));
        line.expect(")", "after the type");
        Value value = read();
        if (value.kind() != Kind.ARGUMENT) {
            throw line.failAt(open.position(), "only arguments and retval can be cast");
        }
        // A pointer's text is read by %s, its address by %p: both from the number as it is.
        return type.equals("ptr") ? value : value.as(type);
    }

    private Value word(Token word) {
        Value parameter = parameters.named(word);
        if (parameter != null) {
            return behind(parameter);
        }
        String text = word.text();
        if (text.matches("arg[0-9]{1,2}")) {
            skipUserMark();
            return behind(Value.argument(text, "", word.position()));
        }
        return switch (text) {
            case "retval" -> behind(Value.argument("ret", "", word.position()));
            case "args" -> {
                line.expect("->", "after args");
                yield Value.field(name("the name of a field"), word.position());
            }
            // The kernel's pid is a thread, its tgid what everybody else calls a process: bcc says it as the kernel.
            case "$pid" -> Value.builtin(Kind.TID, word.position());
            case "$tgid" -> Value.builtin(Kind.PID, word.position());
            case "$uid" -> Value.builtin(Kind.UID, word.position());
            case "$cpu" -> Value.builtin(Kind.CPU, word.position());
            case "$task" -> task(word);
            default -> throw line.failAt(word.position(), "'" + text + "' is not supported; there are " + ALL);
        };
    }

    private Value task(Token word) {
        line.expect("->", "after $task");
        String field = name("comm");
        if (!field.equals("comm")) {
            throw line.failAt(word.position(), "of $task only comm is supported, and $pid, $tgid, $uid, $cpu");
        }
        return Value.builtin(Kind.COMM, word.position());
    }

    private String name(String what) {
        Token name = line.next();
        if (name.kind() != Token.Kind.WORD) {
            throw line.failAt(name.position(), "expected " + what + ", not " + name.shown());
        }
        return name.text();
    }

    /** arg1@user: memory of the program, which is where it is read from anyway. */
    private void skipUserMark() {
        int start = line.position();
        if (!line.next().isWord("@user")) {
            line.moveTo(start);
        }
    }

    private Value behind(Value value) {
        Token next = line.peek();
        if (next.is("->") || next.is(".") || next.is("[")) {
            throw line.failAt(
                    next.position(),
                    "structures are not known here; a spec of ours reads by offset: uprobe:fn(n=*arg1:u32@+8)");
        }
        return value;
    }
}
