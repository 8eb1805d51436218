package dev.probestream.collector.internal.syscall;

import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import java.util.ArrayList;
import java.util.List;

/**
 * A system call's name and arguments.
 *
 * @param name such as {@code openat}
 * @param arguments in order
 * @param texts which arguments are texts: paths, and names that are masked as paths are
 */
public record SyscallSignature(String name, List<ArgumentSpec> arguments, SyscallTexts texts) {
    public SyscallSignature {
        arguments = List.copyOf(arguments);
    }

    /** The signature of a call that is not in the table: numbers only. */
    static SyscallSignature unknown(String name, int argumentCount) {
        List<ArgumentSpec> arguments = new ArrayList<>();
        for (int i = 1; i <= argumentCount; i++) {
            arguments.add(argument("arg" + i, ArgumentType.number(ArgumentType.Form.U64)));
        }
        SyscallTexts texts = new SyscallTexts(-1, -1, false, RareSyscalls.contain(name));
        return new SyscallSignature(name, arguments, texts);
    }

    static SyscallSignature of(String name, List<ArgumentSpec> arguments, boolean textsGoneOnSuccess) {
        int[] texts = {-1, -1};
        int count = 0;
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).type().isText()) {
                texts[count++] = i;
            }
        }
        return new SyscallSignature(
                name, arguments, new SyscallTexts(texts[0], texts[1], textsGoneOnSuccess, RareSyscalls.contain(name)));
    }

    static ArgumentSpec argument(String name, ArgumentType type) {
        return ArgumentSpec.of(name, ArgumentSource.field(name), type);
    }
}
