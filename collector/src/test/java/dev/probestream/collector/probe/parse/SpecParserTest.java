package dev.probestream.collector.probe.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.collector.probe.SpanEnds;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.StackSpec;
import dev.probestream.collector.probe.UsdtPair;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecParserTest {
    @Test
    void aSpanWithEveryKindOfArgumentIsRead() {
        ProbeSpec spec = SpecParser.parse("span:/usr/bin/node:uv_fs_open(path=arg3:str[256], req=arg2-336:ptr, "
                + "len=*arg3:u32@+8, result=*arg2:s64@+0x58 at return, code=ret:s32) [ustack]");

        assertThat(spec.kind()).isEqualTo(ProbeKind.SPAN);
        assertThat(spec.module()).isEqualTo("/usr/bin/node");
        assertThat(spec.function()).isEqualTo("uv_fs_open");
        assertThat(spec.preset().category()).isEqualTo("user");
        assertThat(spec.stack()).isEqualTo(new StackSpec(true, false));
        assertThat(spec.result())
                .isEqualTo(Optional.of(new ReturnSpec(ArgumentType.number(ArgumentType.Form.S32), "")));
        assertThat(spec.arguments()).extracting(ArgumentSpec::name).containsExactly("path", "req", "len", "result");
        assertThat(spec.arguments().get(0).type()).isEqualTo(ArgumentType.string(256));
        assertThat(spec.arguments().get(1).addend()).isEqualTo(-336);
        assertThat(spec.arguments().get(2).dereferenceOffsetsBytes()).containsExactly(8L);
        assertThat(spec.arguments().get(3).dereferenceOffsetsBytes()).containsExactly(88L);
        assertThat(spec.arguments().get(3).atReturn()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "uprobe:uv_run, '', uv_run, 0",
        "uprobe::uv_run, '', uv_run, 0",
        "uprobe:libc.so.6:malloc, libc.so.6, malloc, 0",
        "uprobe:/bin/x:f+0x10, /bin/x, f, 16",
        "uprobe:/bin/x:f*, /bin/x, f*, 0",
        "uprobe:/opt/c++/x:f+4, /opt/c++/x, f, 4",
        "uprobe:libstdc++.so.6:f, libstdc++.so.6, f, 0",
        "uprobe:libstdc++.so.6:f+0x4(n=arg1:u32), libstdc++.so.6, f, 4",
        "uprobe:f+4(n=arg1:u32), '', f, 4",
        "uprobe:f+4/arg1:u32 > 2/, '', f, 4",
        "uprobe:v8::internal::Heap::Scavenge, '', v8::internal::Heap::Scavenge, 0",
        "uprobe:/bin/x:v8::internal::Heap::Scavenge, /bin/x, v8::internal::Heap::Scavenge, 0",
        "'uprobe:/bin/x:\"a::b(int, char*)\"+4', /bin/x, 'a::b(int, char*)', 4",
        "'uprobe:\"a::b(int)\"', '', a::b(int), 0",
        "'uprobe:\"/tmp/my app\":f', /tmp/my app, f, 0",
    })
    void placesOfUserFunctions(String text, String module, String function, long offsetBytes) {
        ProbeSpec spec = SpecParser.parse(text);

        assertThat(List.of(spec.module(), spec.function(), spec.offsetBytes()))
                .isEqualTo(List.of(module, function, offsetBytes));
    }

    @Test
    void aTracepointsFieldHasItsDeclaredTypeUnlessOneIsGiven() {
        ProbeSpec spec = SpecParser.parse("tracepoint:syscalls:sys_enter_openat(filename:str, flags)");

        assertThat(spec.module()).isEqualTo("syscalls");
        assertThat(spec.function()).isEqualTo("sys_enter_openat");
        assertThat(spec.arguments())
                .containsExactly(
                        ArgumentSpec.of(
                                "filename",
                                ArgumentSource.field("filename"),
                                ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES)),
                        ArgumentSpec.of("flags", ArgumentSource.field("flags"), ArgumentType.DECLARED));
    }

    @Test
    void theReturnedValueOfACounterIsOneOfItsNumbers() {
        ProbeSpec spec = SpecParser.parse("uretprobe:/bin/x:depth(depth=ret:u32)[counter]");

        assertThat(spec.counter()).isTrue();
        assertThat(spec.result()).isEmpty();
        assertThat(spec.arguments()).extracting(ArgumentSpec::source).containsExactly(ArgumentSource.RETURN_VALUE);
    }

    @Test
    void aSpanMayEndWhereTheNextBegins() {
        assertThat(SpecParser.parse("span:/bin/x:f(a=arg1:ptr) [untilnext]").untilNext())
                .isTrue();
        assertThat(SpecParser.parse("span:/bin/x:f(a=arg1:ptr)").untilNext()).isFalse();
    }

    @Test
    void rawTracepointsSyscallsAndSchedAreRead() {
        assertThat(SpecParser.parse("rawtracepoint:sched_switch(preempt=arg1:bool)")
                        .arguments())
                .extracting(ArgumentSpec::source)
                .containsExactly(ArgumentSource.raw(1));
        assertThat(SpecParser.parse("syscalls [stack]").stack()).isEqualTo(new StackSpec(true, true));
        assertThat(SpecParser.parse(" sched ").kind()).isEqualTo(ProbeKind.SCHED);
        assertThat(List.of("profile:99", "profile:99hz", "profile: hz:99"))
                .map(SpecParser::parse)
                .allSatisfy(spec -> {
                    assertThat(spec.frequencyHz()).isEqualTo(99);
                    assertThat(spec.stack()).isEqualTo(new StackSpec(true, true));
                    assertThat(spec.preset().category()).isEqualTo("profile");
                });
        assertThat(SpecParser.parse("profile:1 [ustack]").stack()).isEqualTo(new StackSpec(true, false));
    }

    @Test
    void pairsOfUsdtProbesAreRead() {
        ProbeSpec spec = SpecParser.parse(
                "usdtspan:/bin/x:postgresql:query__start, query__done(q=arg1:str, r=arg1 at return) /duration > 1000/");

        assertThat(spec.module()).isEqualTo("/bin/x");
        assertThat(UsdtPair.of(spec)).isEqualTo(new UsdtPair("postgresql:query__start", "postgresql:query__done"));
        assertThat(UsdtPair.of(spec).name()).isEqualTo("postgresql:query");
        assertThat(spec.arguments()).extracting(ArgumentSpec::atReturn).containsExactly(false, true);
        assertThat(SpecParser.parse("usdtspan:a:b,c").module()).isEmpty();
        assertThat(UsdtPair.of(SpecParser.parse("usdtspan:a:b,c")).name()).isEqualTo("a:b");
    }

    @Test
    void spansBetweenTwoProbesAreRead() {
        ProbeSpec spec = SpecParser.parse("span(uprobe:/bin/x:f(id=arg1:s32, n=arg2)/arg2 > 1/ -> t:c:e(id, n) by id)");
        SpanEnds ends = spec.ends().orElseThrow();

        assertThat(spec.kind()).isEqualTo(ProbeKind.PAIR);
        assertThat(ends.begin()).isEqualTo(SpecParser.parse("uprobe:/bin/x:f(id=arg1:s32, n=arg2)/arg2 > 1/"));
        assertThat(ends.end()).isEqualTo(SpecParser.parse("t:c:e(id, n)"));
        assertThat(ends.keys()).containsExactly("id");
        assertThat(spec.arguments()).extracting(ArgumentSpec::name).containsExactly("id", "n", "end_n");
        assertThat(spec.arguments()).extracting(ArgumentSpec::atReturn).containsExactly(false, false, true);
        assertThat(SpecParser.parse("span ( u:f -> usdt:/x:n )")
                        .ends()
                        .orElseThrow()
                        .isByKey())
                .isFalse();
        assertThat(SpecParser.parse("span(uretprobe:f(r=ret) -> u:g)").arguments())
                .containsExactly(ArgumentSpec.of("r", ArgumentSource.RETURN_VALUE, ArgumentType.S64));
    }

    @Test
    void filterOfASpanIsDecidedAtTheEndThatHasItsValues() {
        SpanEnds ends = SpecParser.parse("span(uprobe:f(a=arg1) /arg2 == 4/ -> uprobe:g(a=arg3))"
                        + " /end_a != 3 && duration > 1000 && !(a < 9 || pid == 1)/")
                .ends()
                .orElseThrow();

        assertThat(ends.begin().filter())
                .isEqualTo(SpecParser.parse("uprobe:f /arg2 == 4 && !(arg1 < 9) && !(pid == 1)/")
                        .filter());
        assertThat(ends.end().filter().orElseThrow().comparisons()).hasSize(2);
        assertThat(ends.end().filter().orElseThrow().parts().get(0))
                .isEqualTo(SpecParser.parse("uprobe:g /arg3 != 3/").filter().orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "span(uprobe:f)|13|expected '->', with a blank before it",
                "span(uprobe:f -> uprobe:g|25|expected ')' behind the probe that ends the span",
                "span(uprobe:f -> )|17|expected the kind of the probe",
                "span(uprobe:f -> span:g)|17|a span begins and ends at a uprobe:, uretprobe:",
                "span(syscalls -> u:g)|5|not at syscalls",
                "span(span(u:a -> u:b) -> u:g)|5|a span begins and ends at probes, not at spans",
                "span(u:f* -> u:g)|5|no * and ? in their names",
                "span(u:f -> u:f)|5|a span begins at one probe and ends at another, not both at f",
                "span(uprobe:f(id=arg1) -> uprobe:g by id)|38|uprobe:g records no argument id: both probes must, such as (id=arg1)",
                "span(uprobe:f(id=arg1:str) -> uprobe:g(id=arg1) by id)|51|id of uprobe:f(id=arg1:str) is no integer",
                "span(usdt:p:f(id=arg1:f64) -> usdt:p:g by id)|42|only integers can be keys",
                "span(t:a:b -> t:a:c by)|22|expected the name of an argument that both probes record",
                "span(t:a:b -> t:a:c by x, x)|26|x is a key already",
                "span(t:a:b -> t:a:c by a, b, c, d, e)|35|more than 4 keys",
                "span(t:a:b -> t:a:c)(x=arg1)|20|the arguments of a span between two probes stand behind each of them",
                "span(t:a:b [ustack] -> t:a:c)|11|the flags of a span stand behind its parentheses",
                "span(t:a:b -> t:a:c by x) [ustack]|0|no stack is recorded of a span by keys",
                "span(t:a:b(x) -> t:a:c) /!(x == 1 && duration > 5)/|24|join the two by &&",
                "span(t:a:b(x) -> t:a:c) /y == 1/|25|expected duration, pid, tid, comm, cpu, uid, a number or a recorded argument: x",
                "span(t:a:b -> t:a:c) [counter]|22|[counter] makes no sense for span",
                "span(uretprobe:f(arg1) -> u:g)|17|the arguments are gone",
            })
    void mistakesInSpansBetweenTwoProbesAreMarked(String text, int position, String problem) {
        mistakesAreMarked(text, position, problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|0|expected the kind",
                "uprob:/bin/x:f|0|expected the kind",
                "kprobe:vfs_read|0|kernel functions (kprobe:) are not supported in this version",
                "uprobe|6|expected ':' after uprobe",
                "syscall|7|expected ':' after syscall",
                "syscall:open*|8|a system call is named without * and ?; all of them are syscalls:all",
                "syscall:openat(x=arg7)|17|expected at most arg6",
                "span(syscall:read -> u:g)|5|a span begins and ends at a uprobe:",
                "uprobe:/bin/x:|14|expected the name of a function",
                "uprobe:/bin/x:f(a=arg1:int)|23|expected a type",
                "uprobe:/bin/x:f(a=arg1:f64)|23|in registers that BPF programs do not see",
                "uretprobe:/bin/x:f(ret:f32)|23|in registers that BPF programs do not see",
                "usdt:p:n(a=arg1:f64) /arg1:f64 == 1/|22|no filter compares floating-point numbers",
                "uprobe:/bin/x:f(a=arg1:char)|23|expected a size",
                "uprobe:/bin/x:f(a=arg1:str[9999])|27|expected a size of 1 to 4096",
                "uprobe:/bin/x:f(a=arg0)|18|arguments count from 1: arg0 is written arg1",
                "uprobe:/bin/x:f(a=arg13)|18|expected at most arg12",
                "uprobe:/bin/x:f(a=foo)|18|expected an argument, e.g. arg1",
                "uprobe:/bin/x:f(a=ret)|18|nothing has been returned yet",
                "uretprobe:/bin/x:f(a=arg1)|21|the arguments are gone",
                "uretprobe:/bin/x:f+4|18|an offset makes sense for uprobe: only",
                "uprobe:/bin/x:f*+4|16|an offset needs the name of one function",
                "uprobe:/bin/x:f(a=arg1 at return)|23|'at return' makes sense for span: and usdtspan: only",
                "uprobe:/bin/x:f(a=*arg1+8:u32)|23|the offset of what a pointer points to",
                "uprobe:/bin/x:f(a=arg1:u32@+8)|26|an offset needs a pointer",
                "uprobe:/bin/x:f(a=arg1, a=arg2)|24|a second argument is called a",
                "uprobe:/bin/x:f(a=arg1|22|expected ')' or ','",
                "uprobe:/bin/x:f [stak]|17|expected a flag",
                "uprobe:/bin/x:f [counter]|17|a [counter] needs arguments",
                "span:/bin/x:f(a=ret,b=ret)|20|the returned value is recorded already",
                "span:/bin/x:f(a=arg1)[counter]|22|[counter] makes no sense for span",
                "usdtspan:p:b|12|expected ',' and the name of the probe that ends",
                "usdtspan:p:b,|13|expected the name of the probe that ends",
                "usdtspan:p:b,b|9|a span begins at one probe and ends at another",
                "usdtspan:p:b*,e|9|no * and ?",
                "usdtspan:p:b,e(ret)|15|expected an argument, e.g. arg1",
                "uretprobe:/bin/x:f [untilnext]|20|[untilnext] makes no sense for uretprobe",
                "span:/bin/x:f(ret:s32)[untilnext]|23|[untilnext] takes at most 6 arguments, all numbers",
                "span:/bin/x:f(a=arg1:str)[untilnext]|26|[untilnext] takes at most 6 arguments, all numbers",
                "span:/bin/x:f /arg1 == 1/ [untilnext]|27|and no filter, stack, counter or returned value",
                "usdtspan:p:b,e(a=arg1)[counter]|23|[counter] makes no sense for usdtspan",
                "tracepoint:sched|16|expected ':' between",
                "syscalls(a=arg1)|8|syscalls takes no arguments",
            })
    void mistakesAreMarked(String text, int position, String problem) {
        assertThatThrownBy(() -> SpecParser.parse(text))
                .isInstanceOfSatisfying(
                        SpecSyntaxException.class, e -> assertThat(e.position()).isEqualTo(position))
                .hasMessageContaining(problem)
                .hasMessageEndingWith("\n  " + text + "\n  " + " ".repeat(position) + "^");
    }
}
