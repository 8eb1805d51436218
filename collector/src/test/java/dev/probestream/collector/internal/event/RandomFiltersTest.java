package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters made at random let exactly those calls pass for which the same expression holds in Java. */
@Tag("deep")
@KernelTest(since = "6.6")
class RandomFiltersTest {
    private static final long SEED = 20_26_11_22;
    private static final int FILTERS = 200;
    private static final int CALLS = 24;
    private static final List<Long> NUMBERS = List.of(
            0L,
            1L,
            -1L,
            5L,
            127L,
            128L,
            -128L,
            255L,
            256L,
            32768L,
            -32769L,
            65535L,
            0x7fffffffL,
            0x80000000L,
            -0x80000001L,
            0xffffffffL,
            0x100000000L,
            Long.MAX_VALUE,
            Long.MIN_VALUE);
    private static final List<String> TEXTS = List.of("", "a", "ab", "abcdefgh", "abcdefghi", "/tmp/x", "b");
    private static final List<String> TYPES =
            List.of("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "ptr", "bool");

    @TempDir
    static Path folder;

    private static CProgram program;

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "program/filtered");
    }

    /** A call of the fixture; no text = a pointer to nothing. */
    private record Call(long a, long b, long c, Optional<String> text, int index) {
        String request() {
            return "call " + a + " " + b + " " + c + " "
                    + text.map(String::length).orElse(0) + " " + index + " "
                    + text.map(value -> ":" + value).orElse("wild");
        }

        long argument(int number) {
            return number == 1 ? a : number == 2 ? b : c;
        }
    }

    /** Empty = unknown, since a value could not be read. */
    private interface Truth {
        Optional<Boolean> of(Call call);
    }

    private record Expression(String text, Truth truth) {}

    private static Expression expression(Random random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return random.nextInt(3) == 0 ? ofText(random) : ofNumbers(random);
        }
        Expression left = expression(random, depth - 1);
        if (random.nextInt(3) == 0) {
            return new Expression(
                    "!(" + left.text + ")", call -> left.truth.of(call).map(value -> !value));
        }
        Expression right = expression(random, depth - 1);
        boolean isAnd = random.nextBoolean();
        return new Expression("(" + left.text + (isAnd ? " && " : " || ") + right.text + ")", call -> {
            Optional<Boolean> one = left.truth.of(call);
            Optional<Boolean> other = right.truth.of(call);
            if (one.equals(Optional.of(!isAnd)) || other.equals(Optional.of(!isAnd))) {
                return Optional.of(!isAnd);
            }
            return one.isEmpty() || other.isEmpty() ? Optional.empty() : Optional.of(isAnd);
        });
    }

    /** One of several beginnings, which one reading of the text decides. */
    private static Expression ofBeginnings(Random random) {
        String type = pick(random, List.of("str", "str[arg5]"));
        List<String> literals = List.of(pick(random, TEXTS), pick(random, TEXTS), pick(random, TEXTS));
        String text = literals.stream()
                .map(literal -> "arg4:" + type + " ^= \"" + literal + "\"")
                .collect(Collectors.joining(" || "));
        return new Expression("(" + text + ")", call -> {
            Optional<String> read = type.equals("str[arg5]") && call.text.isEmpty() ? Optional.of("") : call.text;
            return read.map(value -> literals.stream().anyMatch(value::startsWith));
        });
    }

    private static Expression ofText(Random random) {
        if (random.nextInt(3) == 0) {
            return ofBeginnings(random);
        }
        String literal = pick(random, TEXTS);
        String sign = pick(random, List.of("==", "!=", "^="));
        String type = pick(random, List.of("str", "str[arg5]", "str[2]"));
        return new Expression("arg4:" + type + " " + sign + " \"" + literal + "\"", call -> {
            Optional<String> text = type.equals("str[arg5]") && call.text.isEmpty() ? Optional.of("") : call.text;
            return text.map(value ->
                    sign.equals("^=") ? value.startsWith(literal) : value.equals(literal) == sign.equals("=="));
        });
    }

    private static Expression ofNumbers(Random random) {
        int number = 1 + random.nextInt(3);
        String type = pick(random, TYPES);
        if (random.nextInt(5) == 0) {
            long mask = pick(random, NUMBERS);
            return new Expression(
                    "(arg" + number + ":" + type + " & " + mask + ") == 0",
                    call -> Optional.of((value(type, call.argument(number)).longValue() & mask) == 0));
        }
        String sign = pick(random, List.of("==", "!=", "<", "<=", ">", ">="));
        if (random.nextBoolean()) {
            int otherNumber = 1 + random.nextInt(3);
            String otherType = pick(random, TYPES);
            return new Expression(
                    "arg" + number + ":" + type + " " + sign + " arg" + otherNumber + ":" + otherType,
                    call -> Optional.of(holds(
                            value(type, call.argument(number)), sign, value(otherType, call.argument(otherNumber)))));
        }
        BigInteger literal = value(type, pick(random, NUMBERS)); // one that the type can hold
        return new Expression(
                "arg" + number + ":" + type + " " + sign + " " + literal,
                call -> Optional.of(holds(value(type, call.argument(number)), sign, literal)));
    }

    private static boolean holds(BigInteger left, String sign, BigInteger right) {
        int order = left.compareTo(right);
        return switch (sign) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    private static BigInteger value(String type, long bits) {
        return switch (type) {
            case "s8" -> BigInteger.valueOf((byte) bits);
            case "u8", "bool" -> BigInteger.valueOf(bits & 0xff);
            case "s16" -> BigInteger.valueOf((short) bits);
            case "u16" -> BigInteger.valueOf(bits & 0xffff);
            case "s32" -> BigInteger.valueOf(bits << 32 >> 32);
            case "u32" -> BigInteger.valueOf(bits & 0xffffffffL);
            case "s64" -> BigInteger.valueOf(bits);
            default -> new BigInteger(Long.toUnsignedString(bits));
        };
    }

    private static <T> T pick(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static List<Call> calls(Random random) {
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            Optional<String> text = i % 5 == 0 ? Optional.empty() : Optional.of(pick(random, TEXTS));
            long first = pick(random, NUMBERS);
            long second = i % 3 == 0 ? first : pick(random, NUMBERS);
            calls.add(new Call(first, second, pick(random, NUMBERS), text, i));
        }
        return calls;
    }

    @Test
    void passWhatJavaLetsPass() throws Exception {
        Random random = new Random(SEED);
        List<Call> calls = calls(random);
        Map<Integer, Expression> expressions = new LinkedHashMap<>();
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            for (int i = 0; i < FILTERS; i++) {
                Expression expression = expression(random, 3);
                String spec = (i % 8 == 0 ? "span" : "uprobe") + ":target(i=arg6) /" + expression.text + "/";
                expressions.put(capture.add(spec, program.executable(), program.functionOffset("target")), expression);
            }
            capture.start();
            for (Call call : calls) {
                process.ask(call.request());
            }
            capture.stop();
            assertThat(capture.losses).isEmpty();
            expressions.forEach((id, expression) -> assertThat(capture.eventsOf(id).stream()
                            .map(event -> event.getNumbers().get(0).intValue())
                            .toList())
                    .as(expression.text)
                    .isEqualTo(calls.stream()
                            .filter(call -> expression.truth.of(call).orElse(false))
                            .map(Call::index)
                            .collect(Collectors.toList())));
        }
    }
}
