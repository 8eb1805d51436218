package dev.probestream.collector.internal.program;

import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.UsdtPair;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.provider.KnownArgument;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The arguments of USDT probes with the types that their attach points declare: of several the widest, signed if one is. Where
 * nothing was asked for, names and types are those of the known providers.
 */
public final class UsdtArguments {
    private static final int MAX_SHOWN = 3;

    private static final Pattern COUNTED = Pattern.compile("str\\[arg(\\d+).*");

    private final KnownProviders known;

    public UsdtArguments(KnownProviders known) {
        this.known = known;
    }

    /**
     * A spec with what is recorded: the arguments that it names, all if it names none, no type {@code DECLARED}. An
     * argument that a glob names and this probe does not have is recorded as one that cannot be read.
     *
     * @param asked as the user wrote it
     * @param probe the same for one probe that was found
     * @param attachPoints the arguments at each of its attach points, at least one; of a pair where it begins
     * @param endAttachPoints of a pair where it ends, else empty
     * @throws ProbeArgumentException when the one probe asked for has no such argument at any attach point
     */
    public ProbeSpec recorded(
            ProbeSpec asked,
            ProbeSpec probe,
            List<List<UsdtArgument>> attachPoints,
            List<List<UsdtArgument>> endAttachPoints) {
        boolean isPair = probe.kind() == ProbeKind.USDTSPAN;
        String name = isPair ? UsdtPair.of(probe).begin() : probe.function();
        if (isOneProbe(asked)) {
            checkNumbers(asked, name, used(probe, false), attachPoints);
        }
        if (isPair) {
            checkNumbers(asked, UsdtPair.of(probe).end(), used(probe, true), endAttachPoints);
        }
        List<KnownArgument> knownArguments = known(name);
        List<KnownArgument> knownAtEnd = isPair ? known(UsdtPair.of(probe).end()) : List.of();
        UnaryOperator<ArgumentSpec> typed = argument -> argument.type().form() == Form.DECLARED
                ? argument.ofType(
                        declared(argument.source().number(), argument.atReturn() ? endAttachPoints : attachPoints))
                : counted(argument, argument.atReturn() ? knownAtEnd : knownArguments);
        List<ArgumentSpec> recorded = probe.arguments().isEmpty() ? all(name, count(attachPoints)) : probe.arguments();
        List<ArgumentSpec> typedArguments = recorded.stream().map(typed).toList();
        boolean isCounterOfFloats = probe.counter()
                && typedArguments.stream()
                        .anyMatch(argument -> argument.type().form().isFloat());
        if (isCounterOfFloats) {
            throw new ProbeArgumentException(asked, "a [counter] has whole numbers, not floating-point numbers");
        }
        return probe.recording(
                typedArguments,
                argument ->
                        compared(asked, typed.apply(argument), argument.atReturn() ? endAttachPoints : attachPoints));
    }

    private static void checkNumbers(
            ProbeSpec asked, String name, Set<Integer> numbers, List<List<UsdtArgument>> attachPoints) {
        int count = count(attachPoints);
        numbers.stream().filter(number -> number > count).findFirst().ifPresent(number -> {
            throw new ProbeArgumentException(asked, name + " has no arg" + number + "; it has " + shown(attachPoints));
        });
    }

    private static int count(List<List<UsdtArgument>> attachPoints) {
        return attachPoints.stream().mapToInt(List::size).max().orElse(0);
    }

    /** Whether one name was asked for, of one or any provider. */
    private static boolean isOneProbe(ProbeSpec asked) {
        String name = asked.function().startsWith("*:") ? asked.function().substring(2) : asked.function();
        return !asked.isGlob() || (name.indexOf('*') < 0 && name.indexOf('?') < 0);
    }

    /**
     * Whether the arguments at an attach point fit the types that are recorded already.
     *
     * @param atReturn whether it is one where a pair ends
     */
    public static boolean fits(ProbeSpec recorded, List<UsdtArgument> attachPoint, boolean atReturn) {
        return recorded.arguments().stream()
                .filter(argument -> argument.atReturn() == atReturn)
                .filter(argument -> !argument.type().isText() && !argument.isDereferenced() && !isOfContext(argument))
                .filter(argument -> argument.source().number() <= attachPoint.size())
                .allMatch(argument -> argument.type().capacityBytes()
                        >= attachPoint.get(argument.source().number() - 1).sizeBytes());
    }

    /**
     * The numbers of the arguments that a program for this spec reads, lengths of texts among them.
     *
     * @param atReturn whether it is the program for where a pair ends
     */
    static Set<Integer> used(ProbeSpec spec, boolean atReturn) {
        Set<Integer> numbers = new TreeSet<>();
        List<ArgumentSpec> read = new ArrayList<>(spec.arguments());
        spec.filter().ifPresent(filter -> read.addAll(filter.arguments()));
        read.removeIf(argument -> argument.atReturn() != atReturn || isOfContext(argument));
        for (ArgumentSpec argument : read) {
            numbers.add(argument.source().number());
            if (argument.type().boundArgument() != 0) {
                numbers.add(argument.type().boundArgument());
            }
        }
        return numbers;
    }

    private static boolean isOfContext(ArgumentSpec argument) {
        return argument.source().kind() == ArgumentSource.Kind.CONTEXT;
    }

    /** As a user would write them: {@code fd=arg1:s32, url=arg2:str}. */
    private List<ArgumentSpec> all(String qualifiedName, int count) {
        if (count == 0) {
            return List.of();
        }
        List<KnownArgument> named = known(qualifiedName);
        StringJoiner list = new StringJoiner(", ", "usdt:any:probe (", ")");
        for (int number = 1; number <= count; number++) {
            KnownArgument argument = number <= named.size() ? named.get(number - 1) : new KnownArgument("", "");
            String name = argument.name().isEmpty() ? "" : argument.name() + "=";
            list.add(name + "arg" + number + (argument.type().isEmpty() ? "" : ":" + argument.type()));
        }
        return SpecParser.parse(list.toString()).arguments();
    }

    private List<KnownArgument> known(String qualifiedName) {
        int colon = qualifiedName.indexOf(':');
        return known.arguments(qualifiedName.substring(0, colon), qualifiedName.substring(colon + 1))
                .orElse(List.of());
    }

    /** A text that is known to end without a NUL, such as the JVM's, ends at the length in its length argument. */
    private static ArgumentSpec counted(ArgumentSpec argument, List<KnownArgument> known) {
        ArgumentType type = argument.type();
        int number = argument.source().number();
        boolean isPlain = type.form() == Form.STR && !argument.isDereferenced() && argument.addend() == 0;
        if (!isPlain || number > known.size()) {
            return argument;
        }
        Matcher length = COUNTED.matcher(known.get(number - 1).type());
        return length.matches()
                ? argument.ofType(ArgumentType.countedString(Integer.parseInt(length.group(1)), type.capacityBytes()))
                : argument;
    }

    /** Of the probes that a glob matches, those whose argument is a floating-point number have no hit that passes. */
    private static ArgumentSpec compared(
            ProbeSpec asked, ArgumentSpec argument, List<List<UsdtArgument>> attachPoints) {
        boolean isFloat = !argument.isDereferenced()
                && !isOfContext(argument)
                && declared(argument.source().number(), attachPoints).form().isFloat();
        if (isFloat && isOneProbe(asked)) {
            throw new ProbeArgumentException(
                    asked,
                    "argument " + argument.source().number() + " is a floating-point number, which no filter compares");
        }
        return isFloat ? argument.ofType(ArgumentType.S64) : argument;
    }

    private static ArgumentType declared(int number, List<List<UsdtArgument>> attachPoints) {
        int sizeBytes = 0;
        boolean isSigned = false;
        boolean isFloat = attachPoints.stream()
                .filter(attachPoint -> number <= attachPoint.size())
                .allMatch(attachPoint -> attachPoint.get(number - 1).isFloat());
        for (List<UsdtArgument> attachPoint : attachPoints) {
            if (number <= attachPoint.size()) {
                sizeBytes = Math.max(sizeBytes, attachPoint.get(number - 1).sizeBytes());
                isSigned |= attachPoint.get(number - 1).isSigned();
            }
        }
        if (isFloat && sizeBytes >= Float.BYTES) {
            return ArgumentType.number(sizeBytes == Float.BYTES ? Form.F32 : Form.F64);
        }
        return ArgumentType.number(
                switch (sizeBytes) {
                    case 1 -> isSigned ? Form.S8 : Form.U8;
                    case 2 -> isSigned ? Form.S16 : Form.U16;
                    case 4 -> isSigned ? Form.S32 : Form.U32;
                    default -> isSigned ? Form.S64 : Form.U64;
                });
    }

    private static String shown(List<List<UsdtArgument>> attachPoints) {
        List<String> texts = attachPoints.stream()
                .map(attachPoint -> attachPoint.stream().map(UsdtArgument::text).collect(Collectors.joining(" ")))
                .distinct()
                .toList();
        if (texts.stream().allMatch(String::isEmpty)) {
            return "no arguments";
        }
        return String.join(", or at another attach point ", texts.subList(0, Math.min(MAX_SHOWN, texts.size())));
    }
}
