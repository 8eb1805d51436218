package dev.probestream.collector.probe.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterComparison.Sign;
import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.Http2Header;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterTest {
    private static Filter filter(String spec) {
        return SpecParser.parse(spec).filter().orElseThrow();
    }

    private static FilterComparison only(String spec) {
        return filter(spec).comparison().orElseThrow();
    }

    @Test
    void andBindsTighterThanOrAndNotTighterThanBoth() {
        Filter filter = filter("uprobe:f /arg1 == 1 || !arg2 == 2 && (arg3 == 3 || arg4 == 4)/");

        assertThat(filter.kind()).isEqualTo(Filter.Kind.ANY);
        Filter all = filter.parts().get(1);
        assertThat(all.kind()).isEqualTo(Filter.Kind.ALL);
        assertThat(all.parts()).extracting(Filter::kind).containsExactly(Filter.Kind.NOT, Filter.Kind.ANY);
        assertThat(filter.arguments()).extracting(ArgumentSpec::name).containsExactly("arg1", "arg2", "arg3", "arg4");
    }

    @Test
    void slashesInPathsAndTextsAreNoEndOfAFilter() {
        ProbeSpec spec =
                SpecParser.parse("u:/usr/bin/node:uv_fs_open /pid == 1 && arg2:str != \"/etc/\" || arg1 == '/'/");

        assertThat(spec.module()).isEqualTo("/usr/bin/node");
        assertThat(spec.function()).isEqualTo("uv_fs_open");
        assertThat(filter(spec.text()).comparisons())
                .extracting(comparison -> comparison.right().text())
                .containsExactly("", "/etc/", "");
        assertThat(filter("usdt:node:gc__start/arg1 == 3/")).isEqualTo(filter("usdt:node:gc__start [stack] /arg1==3/"));
    }

    @Test
    void aFilterMayStandBeforeTheArgumentsItNames() {
        Filter before = filter("uprobe:f /fd == 3 && path ^= \"/etc/\"/ [stack] (fd=arg2:s32, path=arg1:str)");
        Filter after = filter("uprobe:f(x=arg2:s32) /arg2 == 3 && arg1 ^= \"/etc/\"/");

        assertThat(before).isEqualTo(after);
    }

    @Test
    void aValueWithoutATypeHasTheOneItIsRecordedWith() {
        assertThat(only("uprobe:f(a=arg1:s8) /arg1 == 3/")
                        .left()
                        .argument()
                        .orElseThrow()
                        .type())
                .isEqualTo(ArgumentType.number(Form.S8));
        assertThat(only("uprobe:f(a=arg1:str) /arg1 != 0/")
                        .left()
                        .argument()
                        .orElseThrow()
                        .type())
                .isEqualTo(ArgumentType.S64);
        assertThat(only("span:f(code=ret:s32) /retval < 0/")
                        .left()
                        .argument()
                        .orElseThrow()
                        .type())
                .isEqualTo(ArgumentType.number(Form.S32));
        assertThat(only("usdt:node:x /arg1 == 3/")
                        .left()
                        .argument()
                        .orElseThrow()
                        .type())
                .isEqualTo(ArgumentType.DECLARED);
        assertThat(only("usdt:node:x /arg1 == \"x\"/")
                        .left()
                        .argument()
                        .orElseThrow()
                        .type())
                .isEqualTo(ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES));
    }

    @Test
    void wordsForTheHitGoBeforeFieldsOfATracepoint() {
        assertThat(only("tracepoint:sched:sched_wakeup(pid) /pid == 3/").left().kind())
                .isEqualTo(FilterOperand.Kind.PID);
        assertThat(only("tracepoint:sched:sched_wakeup /args.pid == 3/").left().argument())
                .map(ArgumentSpec::source)
                .isEqualTo(Optional.of(ArgumentSource.field("pid")));
        assertThat(only("tracepoint:x:y /duration == 3/").left().kind()).isEqualTo(FilterOperand.Kind.ARGUMENT);
        assertThat(only("span:f /duration == 3/").left().kind()).isEqualTo(FilterOperand.Kind.DURATION);
    }

    @Test
    void bitsAreComparedAsCWantsItOrWithZero() {
        assertThat(filter("uprobe:f /(arg2 & 0x40) != 0/")).isEqualTo(filter("uprobe:f /arg2 & 0x40/"));
        assertThat(filter("uprobe:f /(arg2 & 0x40)/")).isEqualTo(filter("uprobe:f /arg2 & 64/"));
        FilterComparison equal = only("uprobe:f /(arg2 & 0xf) == 3/");
        assertThat(List.of(equal.mask().getAsLong(), equal.sign(), equal.right().number()))
                .isEqualTo(List.of(15L, Sign.EQUAL, 3L));
        assertThat(filter("uprobe:f /arg2 & 4 && arg1 & 1/").kind()).isEqualTo(Filter.Kind.ALL);
    }

    @ParameterizedTest
    @CsvSource({"-1, -1, false", "0xffffffffffffffff, -1, true", "'''a''', 97, false", "' - 5', -5, false"})
    void numbersHaveSixtyFourBits(String written, long bits, boolean isUnsigned) {
        FilterOperand number = only("uprobe:f /arg1 == " + written + "/").right();

        assertThat(number.number()).isEqualTo(bits);
        assertThat(number.isUnsigned()).isEqualTo(isUnsigned);
    }

    @ParameterizedTest
    @CsvSource({
        "(arg2 - arg1) > 5, ((arg2 - arg1))",
        "(arg2 - 1 - 2 * arg1 / 3) > 5, (((arg2 - 1) - ((2 * arg1) / 3)))",
        "((arg1 + -1) % 0x10) == 3, (((arg1 + -1) % 16))",
        "((arg1:u32+1)*(pid+2)) == 3, (((arg1 + 1) * (PID + 2)))",
        "(arg1) == 3, (arg1)",
    })
    void computedNumbersStandInParentheses(String written, String tree) {
        assertThat("(" + written(only("uprobe:f /" + written + "/").left()) + ")")
                .isEqualTo(tree);
        assertThat(only("uprobe:f /3 <= " + written.replaceAll(" [=>]+ [0-9]", "") + "/")
                        .right())
                .isEqualTo(only("uprobe:f /" + written + "/").left());
    }

    @Test
    void aComputedNumberHasNoSignWhereOneOperandHasNone() {
        assertThat(only("uprobe:f /(arg1:u64 - 1) > 5/").left().isWithoutSign()).isTrue();
        assertThat(only("uprobe:f /(arg1:u32 - 1) > 5/").left().isWithoutSign()).isFalse();
        assertThat(only("span:f /(duration / 1000) > 5/").left().isKnownAtReturn())
                .isTrue();
        assertThat(filter("span:f(a=arg1) /(ret - a) > 5 && (a * 2) > 3/").arguments())
                .hasSize(3);
    }

    private static String written(FilterOperand operand) {
        return operand.computation()
                .map(computed -> "(" + written(computed.left()) + " "
                        + computed.operation().sign() + " " + written(computed.right()) + ")")
                .orElseGet(() -> operand.argument()
                        .map(ArgumentSpec::name)
                        .orElse(
                                operand.kind() == FilterOperand.Kind.NUMBER
                                        ? String.valueOf(operand.number())
                                        : operand.kind().name()));
    }

    @Test
    void aChainOfPointersAndTextsWithALengthAreRead() {
        ArgumentSpec chain =
                SpecParser.parse("uprobe:f(*arg2:str@+16@-56)").arguments().get(0);
        assertThat(chain.dereferenceOffsetsBytes()).containsExactly(16L, -56L);
        List<ArgumentSpec> texts = SpecParser.parse(
                        "usdt:hotspot:x(arg1:str[arg2], arg3:str[arg4,16], arg5:gostr, *arg7:gostr[9]@8)")
                .arguments();
        assertThat(texts)
                .extracting(ArgumentSpec::type)
                .containsExactly(
                        ArgumentType.countedString(2, 128),
                        ArgumentType.countedString(4, 16),
                        ArgumentType.goString(6, 128),
                        ArgumentType.goString(0, 9));
        assertThat(texts).extracting(text -> text.type().recordName()).containsOnly("str");
        ArgumentSpec header = SpecParser.parse("uprobe:f(*arg1:http2header[arg2, grpc_status]@+248@+224)")
                .arguments()
                .get(0);
        assertThat(header.type()).isEqualTo(ArgumentType.http2Header(2, Http2Header.GRPC_STATUS));
        assertThat(header.dereferenceOffsetsBytes()).containsExactly(248L, 224L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "uprobe:f /arg1 > 3|18|expected '/' at the end of the filter",
                "uprobe:f /arg1 > /|17|expected an argument, e.g. arg1",
                "uprobe:f //|10|expected an argument, e.g. arg1",
                "uprobe:f /arg1/|14|expected a comparison: ==",
                "uprobe:f /arg1 = 3/|15|expected a comparison: ==",
                "uprobe:f /arg1 == 3/ /arg2 == 4/|21|a second filter: join them by &&",
                "uprobe:f /arg1 == 3 & arg2 == 4/|20|expected '/' at the end of the filter",
                "uprobe:f /arg2 & 0x40 != 0/|22|as in C, == goes before &: write (… & …) != …",
                "uprobe:f /3 & 1/|10|expected a value of the hit before &",
                "uprobe:f /3 == 4/|10|two numbers are compared",
                "uprobe:f /fd == 4/|10|expected arg1, pid, tid, comm, cpu, uid, a number",
                "uprobe:f(fd=arg1) /fe == 4/|19|or a recorded argument: fd",
                "uprobe:f /duration > 4/|10|expected arg1, pid",
                "uprobe:f /ret == 4/|10|nothing has been returned yet",
                "uretprobe:f /arg1 == 4/|13|the arguments are gone",
                "uprobe:f(pid=arg1) /pid == 4/|20|pid is what the hit itself has, and also a recorded argument",
                "uprobe:f /\"x\" == comm/|10|the text to compare with stands on the right",
                "uprobe:f /comm == 3/|15|text is compared with",
                "uprobe:f /comm == abc/|18|expected arg1, pid",
                "uprobe:f /comm < \"a\"/|15|texts compare with ==, != or ^=",
                "uprobe:f /comm ^= 3/|18|expected a text in double quotes behind ^=",
                "uprobe:f /comm == \"0123456789abcdef\"/|18|the name of a thread has at most 15 bytes, this 16",
                "uprobe:f /pid == \"a\"/|10|only text compares with a text",
                "uprobe:f /arg1:u8 == \"a\"/|10|only text compares with a text",
                "uprobe:f /comm == \"a/|18|expected another \" behind the text",
                "uprobe:f /comm == \"\\x\"/|19|expected \\n \\t \\r \\\\ or \\\"",
                "uprobe:f /arg1 == 'ab'/|18|expected one character between ' and '",
                "uprobe:f /arg1 == 18446744073709551616/|18|at most 64 bits",
                "uprobe:f /arg1 == 0x/|18|expected a number, such as 16, -1, 0x10 or 'c'",
                "uprobe:f /arg1 / 2 > 3/|17|a division in a filter stands in parentheses",
                "uprobe:f /arg1 % 2 > 3/|15|a computed number stands in parentheses: (arg1 / 1000) > 5",
                "uprobe:f /arg2 - arg1 > 3/|17|expected what to add",
                "uprobe:f /(arg1 + ) > 3/|18|expected an argument",
                "uprobe:f /(arg1 + comm) > 3/|18|text is compared with",
                "uprobe:f /(1 + 2) > 3/|10|two numbers are compared",
                "uprobe:f /(arg1 + \"x\") > 3/|18|expected what to add",
                "uprobe:f /(arg1 * (arg1 * (arg1 * (arg1 * (arg1 * 2))))) > 3/|10|more than 4 intermediate results",
                "uprobe:f /(arg1:str + 1) > 3/|11|text is compared with",
                "uprobe:f /(arg1 == 3/|20|expected ')' or && or ||",
                "uprobe:f /arg1 at return == 3/|15|'at return' makes sense for span: and usdtspan: only",
                "syscalls /pid == 3/|9|a filter cannot be put on syscalls",
                "sched /pid == 3/|6|a filter cannot be put on sched",
                "uprobe:f(a=arg1:gostr[0])|22|expected a size of 1 to 4096",
                "uprobe:f(a=*arg1:str[+12])|22|expected a multiple of 8, from 8 to 64 bytes",
                "uprobe:f(a=arg1:str[+16])|21|a length behind a pointer is in memory",
                "uprobe:f(a=arg1:http2header[arg2,status])|27|a header of HTTP/2 is found by a session",
                "uprobe:f(a=*arg1:http2header@1@2)|28|expected '[' and the argument that points to the frame",
                "uprobe:f(a=*arg1:http2header[2,status]@1@2)|29|expected an argument",
                "uprobe:f(a=*arg1:http2header[arg2,cookie]@1@2)|34|expected method, status or grpc_status",
                "uprobe:f(a=*arg1:http2header[arg2,status]@1)|16|a header of HTTP/2 needs two offsets",
                "span:f(a=*arg1:http2header[arg2,status]@1@2)|26|a header of HTTP/2 is found by a session",
                "uprobe:f(a=arg12:gostr)|17|the length of a gostr is the next argument",
                "uprobe:f(a=arg1+8:gostr)|18|nothing can be added to a gostr",
                "uretprobe:f(a=ret:gostr)|18|a gostr is two arguments",
                "uretprobe:f(a=ret:str[arg2])|22|the arguments are gone",
                "tracepoint:a:b(c:str[arg1])|21|a tracepoint has no numbered arguments",
                "uprobe:f(a=*arg1:u8@1@2@3@4@5@6@7@8@9)|35|more than 8 pointers to follow",
                "uprobe:f(a=arg1:str[arg2;4])|24|expected ']' or ',' and a capacity",
                "uretprobe:f(a=ret:str[..arg2])|24|the arguments are gone",
                "tracepoint:a:b(c:str[..arg1])|23|a tracepoint has no numbered arguments",
                "uprobe:f(a=arg1:str[..16])|22|expected an argument",
                "uprobe:f(a=arg1:str[..arg2;4])|26|expected ']' or ',' and a capacity after the argument that holds the end",
            })
    void mistakesAreMarked(String text, int position, String problem) {
        assertThatThrownBy(() -> SpecParser.parse(text))
                .isInstanceOfSatisfying(
                        SpecSyntaxException.class, e -> assertThat(e.position()).isEqualTo(position))
                .hasMessageContaining(problem);
    }

    @Test
    void whatNobodyWritesByHandIsRefused() {
        assertThatThrownBy(() -> filter("uprobe:f /" + "(".repeat(40) + "arg1 == 1" + ")".repeat(40) + "/"))
                .hasMessageContaining("more than 32 parentheses");
        assertThatThrownBy(() -> filter("uprobe:f /" + "arg1 == 1 && ".repeat(64) + "arg1 == 2/"))
                .hasMessageContaining("more than 64 comparisons");
        assertThatThrownBy(() -> filter("uprobe:f /arg1 == \"" + "x".repeat(129) + "\"/"))
                .hasMessageContaining("a text of 129 bytes is too long to compare: at most 128");
    }
}
