package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a function's signature in bcc's syntax: {@code (const char *path, int flags)}. */
final class Parameters {
    private final Map<String, Operand> byName = new HashMap<>();

    /** Returns the parameter with this name, at the position of its use, or null if there is none. */
    @Nullable
    Operand named(Token name) {
        Operand value = byName.get(name.text());
        return value == null ? null : Operand.argument(value.source(), value.type(), name.position());
    }

    /** Parses the signature after its opening parenthesis. */
    static Parameters read(LineScanner line) {
        Parameters parameters = new Parameters();
        if (line.take(")")) {
            return parameters;
        }
        int number = 1;
        do {
            parameters.add(line, number++);
        } while (line.take(","));
        line.expect(")", "at the end of the signature");
        return parameters;
    }

    private void add(LineScanner line, int number) {
        Token first = line.peek();
        StringBuilder type = new StringBuilder();
        Token last = first;
        boolean isPointer = false;
        int words = 0;
        for (Token token = line.peek(); token.kind() == Token.Kind.WORD || token.is("*"); token = line.peek()) {
            line.next();
            if (token.is("*")) {
                isPointer = true;
            } else {
                if (words > 0 && !last.isWord("const")) {
                    type.append(type.isEmpty() ? "" : " ").append(last.text());
                }
                last = token;
                words++;
            }
        }
        if (first.isWord("void") && words == 1 && !isPointer) {
            return;
        }
        if (words < 2) {
            throw line.failAt(first.position(), "expected a parameter with its type, such as 'const char *path'");
        }
        // An unknown type (an enum, a typedef of the program) is read as a number of register width.
        String specType = TypeNames.typeOf(type.toString(), isPointer).orElse("");
        byName.put(last.text(), Operand.argument("arg" + number, specType, last.position()));
    }
}
