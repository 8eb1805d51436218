package dev.probestream.collector.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.LineSyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What hist counts for attach points of bcc and for bpftrace programs. */
class HistogramLineTest {
    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            c:malloc ~ uprobe:c:malloc ~ `` ~ `` ~ COUNT
            t:sched:sched_fork ~ tracepoint:sched:sched_fork ~ `` ~ `` ~ COUNT
            t:a:b (x) /pid == 3/ ~ t:a:b (x) /pid == 3/ ~ x ~ `` ~ COUNT
            u:node:gc* ~ u:node:gc* ~ `` ~ `` ~ COUNT
            r:c:read (retval > 0) ~ uretprobe:c:read /ret:s64 > 0/ ~ `` ~ `` ~ COUNT
            uprobe:f { @ = count() } ~ uprobe:f ~ `` ~ `` ~ COUNT
            uprobe:f /pid == 1/ { @x[comm, pid, cpu, tid]++; } ~ uprobe:f /pid == 1/ ~ comm,pid,cpu,tid ~ `` ~ COUNT
            t:a:b { @[str(args.filename), args.flags] = count(); } ~ tracepoint:a:b(filename=filename:str[64], flags) ~ filename,flags ~ `` ~ COUNT
            t:a:b /args.ret > 0/ { @bytes = hist(args->ret); } ~ tracepoint:a:b(ret) /ret > 0/ ~ `` ~ ret ~ LOG2
            ur:libc:read { @[probe] = lhist(retval, 0, 2000, 200) } ~ uretprobe:libc:read(ret:s64) ~ probe ~ ret ~ LINEAR
            u:libc:write { @[arg0] = hist((uint32)arg2) } ~ u:libc:write(arg1, arg3=arg3:u32) ~ arg1 ~ arg3 ~ LOG2
            ur:bash:readline { @[str(retval)] = count() } ~ uretprobe:bash:readline(retval=ret:str[64]) ~ retval ~ `` ~ COUNT
            usdt::node:gc__start { @[func] = count() } ~ usdt:node:gc__start ~ probe ~ `` ~ COUNT
            uprobe:f { @[ustack] = count(); } ~ uprobe:f [ustack] ~ ustack ~ `` ~ COUNT
            uprobe:f /pid == 1/ { @[kstack, ustack(3), comm] = sum(arg0); } ~ uprobe:f(arg1=arg1:s64) /pid == 1/ [ustack] [kstack] ~ kstack,ustack(3),comm ~ arg1 ~ SUM
            uprobe:f { @ = avg(arg2 - arg1) } ~ uprobe:f(arg3=arg3:s64, arg2=arg2:s64) ~ `` ~ arg3 - arg2 ~ AVG
            uprobe:f { @ = min((arg0 + -1) * 3 % 7) } ~ uprobe:f(arg1=arg1:s64) ~ `` ~ (arg1 + (-1)) * 3 % 7 ~ MIN
            uprobe:f { @ = max((uint64)arg0 / (int32)arg0) } ~ uprobe:f(arg1=arg1:u64, arg1_2=arg1:s32) ~ `` ~ arg1 / arg1_2 ~ MAX
            uretprobe:f { @ = stats(retval / 1000) } ~ uretprobe:f(ret:s64) ~ `` ~ ret / 1000 ~ STATS
            t:a:b { @[comm] = lhist(args.x / 10, 0, 100, 10) } ~ tracepoint:a:b(x) ~ comm ~ x / 10 ~ LINEAR
            uprobe:f { @[arg0 / 64, comm] = count(); } ~ uprobe:f(arg1=arg1:s64) ~ arg1 / 64,comm ~ `` ~ COUNT
            uprobe:f { @[(arg0 + 1) % 2] = sum((int32)arg0); } ~ uprobe:f(arg1=arg1:s64, arg1_2=arg1:s32) ~ (arg1 + 1) % 2 ~ arg1_2 ~ SUM
            profile:hz:99 { @[ustack] = count(); } ~ profile:99 [ustack] ~ ustack ~ `` ~ COUNT
            uprobe:f { @start[tid] = nsecs; } uretprobe:f /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); } ~ span(uprobe:f -> uretprobe:f) ~ comm ~ duration ~ LOG2
            uprobe:f { @s[tid] = nsecs } uretprobe:f /@s[tid] && retval > 0/ { @ = hist((nsecs - @s[tid]) / 1000); delete(@s, tid) } ~ span(uprobe:f -> uretprobe:f /ret:s64 > 0/) ~ `` ~ (duration) / 1000 ~ LOG2
            t:a:b /pid == 1/ { @n[tid] = args.fd; @s[tid] = nsecs; } t:a:c /@s[tid] != 0/ { @[@n[tid], args.ret] = stats(nsecs - @s[tid]); delete(@s[tid]); delete(@n[tid]); } ~ span(tracepoint:a:b(n=fd) /pid == 1/ -> tracepoint:a:c(ret)) ~ n,ret ~ duration ~ STATS
            t:a:b { @s[args.dev, args.sector] = nsecs; } t:a:c { @ = hist(nsecs - @s[args.dev, args.sector]); delete(@s[args.dev, args.sector]); } ~ span(tracepoint:a:b(dev=dev, sector=sector) -> tracepoint:a:c(dev=dev, sector=sector) by dev, sector) ~ `` ~ duration ~ LOG2
            uprobe:f { @s[arg0] = nsecs; } uprobe:g { @ = lhist(nsecs - @s[arg1], 0, 100, 10); delete(@s[arg1]); } ~ span(uprobe:f(key1=arg1:s64) -> uprobe:g(key1=arg2:s64) by key1) ~ `` ~ duration ~ LINEAR
            uprobe:f { @arg1[tid] = arg0; @path[tid] = arg1; } uprobe:g { @[str(@path[tid]), arg0] = sum(@arg1[tid]); delete(@path[tid]); } ~ span(uprobe:f(path=arg2:str[64], begin_arg1=arg1:s64) -> uprobe:g(arg1=arg1:s64)) ~ path,arg1 ~ begin_arg1 ~ SUM
            p:ms:10 { @[comm, cpu] = count(); } interval:s:5 { exit(); } ~ profile:100 ~ comm,cpu ~ `` ~ COUNT
            """)
    void countsAndHistograms(String line, String spec, String keys, String of, Bucketing.Form form) {
        List<HistogramSpec> parsed = HistogramLine.parse(line, Optional.empty(), List.of(), Optional.empty());

        assertThat(parsed).hasSize(1);
        assertThat(parsed.get(0).probe().text()).isEqualTo(spec);
        assertThat(String.join(",", parsed.get(0).keys())).isEqualTo(keys);
        assertThat(parsed.get(0).of()).isEqualTo(of);
        assertThat(parsed.get(0).bucketing().form()).isEqualTo(form);
    }

    @Test
    void anIntervalThatExitsIsALimit() {
        assertThat(HistogramLine.limit("uprobe:f { @ = count() } interval:s:5 { exit(); } i:ms:100 { exit() }"))
                .contains(Duration.ofMillis(100));
        assertThat(HistogramLine.limit("uprobe:f { @ = count() }")).isEmpty();
        assertThat(HistogramLine.limit("uprobe:f(x=arg1)")).isEmpty();
        assertThat(TraceLine.limit("uprobe:f { printf(\"x\"); } interval:s:5 { exit(); }"))
                .contains(Duration.ofSeconds(5));
    }

    @Test
    void scriptsBeginWithTheirInterpreterAndComments() {
        String script = """
                #!/usr/bin/env bpftrace
                /* What "f" does,
                 * it counts. */
                // don't { stop
                uprobe:f
                {
                  @ = count(); // "
                }
                """;

        assertThat(parse(script)).extracting(each -> each.probe().text()).containsExactly("uprobe:f");
        assertThat(HistogramLine.limit(script + "interval:s:3 { exit(); }")).contains(Duration.ofSeconds(3));
        assertThat(TraceLine.parse("#! x\nuprobe:f { printf(\"a\"); }")).hasSize(1);
    }

    @Test
    void aNamedMapIsTheTitle() {
        assertThat(parse("uprobe:f, uprobe:g { @bytes = hist(arg0); @[comm] = count() }"))
                .extracting(HistogramSpec::title)
                .containsExactly("@bytes uprobe:f", "uprobe:f", "@bytes uprobe:g", "uprobe:g");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            uprobe:f { printf("x") }                      ~ 11 ~ use trace to print
            uprobe:f "%d", arg1                           ~ -1 ~ expected '('
            p:c:f "%d", arg1                              ~ 6  ~ use trace, or the probe spec 'uprobe:c:f(arg1=arg1:s32)'
            uprobe:f { @start[tid] = nsecs }              ~ 0 ~ what this probe keeps (@start) is used at no probe behind it
            uprobe:f { @start = nsecs }                   ~ 20 ~ span:FUNCTION has the time of each call
            uprobe:f { @s[tid] = nsecs } uprobe:g { @ = hist(nsecs - @s[tid]) } ~ 29 ~ expected delete(@s[...]) in the block
            uprobe:f { @s[tid] = nsecs; @x = count() } ~ 31 ~ expected '['
            uprobe:f { @s[tid] = 1 } uprobe:g { @ = count(); delete(@s[tid]) } ~ 21 ~ only nsecs, arguments, fields, retval and str()
            uprobe:f { @s[pid] = nsecs } uprobe:g { @ = count(); delete(@s[pid]) } ~ 14 ~ is tid alone, or numbers of the probe, not pid
            uprobe:f { @s[tid] = nsecs } uprobe:g { @ = count(); delete(@s[arg0]) } ~ 60 ~ @s was kept with another key
            uprobe:f { @s[tid] = nsecs } uprobe:g /@s[tid] > 3/ { @ = count(); delete(@s[tid]) } ~ 47 ~ '>' compares
            uprobe:f { @s[tid] = nsecs } uprobe:g /!@s[tid]/ { @ = count(); delete(@s[tid]) } ~ 40 ~ a condition only asks whether there is one
            uprobe:f { @s[tid] = nsecs } uprobe:g /nsecs - @s[tid] > 5/ { @ = count(); delete(@s[tid]) } ~ 39 ~ span(BEGIN -> END) /duration > 1000000/
            uprobe:f, uprobe:h, uprobe:i { @s[tid] = nsecs } uprobe:g, uprobe:k { @ = count(); delete(@s[tid]) } ~ 67 ~ each begin needs its end
            uprobe:f { @a[tid] = nsecs } uprobe:g { @b[tid] = nsecs } uprobe:h { @[@a[tid]] = sum(@b[tid]); delete(@a[tid]) } ~ 86 ~ must be kept by one block
            uprobe:f { @ = count(); delete(@x) }          ~ 24 ~ delete() is not supported
            uprobe:f { @[comm] = sum(comm) }              ~ 25 ~ sum() takes an argument, a field or retval
            uprobe:f { @ = avg(2 + 3) }                   ~ 19 ~ the value is a constant
            uprobe:f { @ = max((arg0 + 1 }                ~ 29 ~ expected ')' or + - * / %
            uprobe:f { @ = hist(arg0 << 2) }              ~ 25 ~ a value is computed with + - * / %
            uprobe:f { @[arg0 << 2] = count() }           ~ 18 ~ a key is computed with + - * / %
            uprobe:f { @[arg0 + pid] = count() }          ~ 20 ~ only arguments, fields and returned values
            uprobe:f { @[ustack(perf)] = count() }        ~ 20 ~ only the number of frames
            profile:hz:0 { @ = count() }                  ~ 0  ~ expected a unit and a number
            profile:us:7 { @ = count() }                  ~ 0  ~ no whole number of samples a second
            profile:hz:99 { @[arg0] = count() }           ~ 0  ~ takes no arguments
            interval:s:5 { exit(); } interval:s:9 { @++ } ~ 25 ~ -i 5s -n 1
            uprobe:f { @ = count() } interval:s:0 { exit() } ~ 25 ~ expected a unit and a number
            uprobe:f { @ = hist(nsecs - @start[tid]) }    ~ 20 ~ span:FUNCTION has the time of each call
            uprobe:f { @[uid] = count() }                 ~ 13 ~ uid is not supported as a key
            uprobe:f { @ = lhist(arg0, 0, 10, 0) }        ~ 15 ~ STEP greater than 0
            uprobe:f { @x = 1 }                           ~ 14 ~ only counts, histograms and sums are kept in maps
            uprobe:f { $x = 1 }                           ~ 11 ~ variables ($) are not supported
            uprobe:f { }                                  ~ 11 ~ empty block
            interval:s:5 { exit(); }                      ~ 0  ~ the program has no probe
            kprobe:vfs_read { @ = count() }               ~ 0  ~ use the tracepoint t:syscalls:sys_enter_read
            """)
    void whatIsNotCountedIsRefusedWithItsPlace(String line, int position, String problem) {
        assertThatThrownBy(() -> parse(line)).hasMessageContaining(problem).satisfies(refused -> {
            if (refused instanceof LineSyntaxException syntax) {
                assertThat(syntax.position()).isEqualTo(position);
            } else {
                assertThat(position).isEqualTo(-1);
            }
        });
    }

    @Test
    void keptValuesOfSeveralProbesAreSpansInTheirOrder() {
        String program = "t:a:in, t:b:in { @s[tid] = nsecs; } t:a:out, t:b:out /@s[tid]/"
                + " { @ns = hist(nsecs - @s[tid]); @calls[comm] = count(); delete(@s[tid]); } uprobe:f { @ = count(); }";

        assertThat(parse(program))
                .extracting(each -> each.probe().text())
                .containsExactly(
                        "span(tracepoint:a:in -> tracepoint:a:out)",
                        "span(tracepoint:a:in -> tracepoint:a:out)",
                        "span(tracepoint:b:in -> tracepoint:b:out)",
                        "span(tracepoint:b:in -> tracepoint:b:out)",
                        "uprobe:f");
        assertThat(parse("uprobe:f { @s[tid] = nsecs } uprobe:g, uprobe:h { @ = count(); delete(@s[tid]); }"))
                .extracting(each -> each.probe().text())
                .containsExactly("span(uprobe:f -> uprobe:g)", "span(uprobe:f -> uprobe:h)");
    }

    @Test
    void optionsOfASpecDoNotGoWithAProgram() {
        assertThatThrownBy(() -> HistogramLine.parse(
                        "uprobe:f { @ = count() }", Optional.empty(), List.of("pid"), Optional.empty()))
                .isInstanceOf(HistogramException.class)
                .hasMessageContaining("--by");
    }

    @Test
    void damagedProgramsAreRefusedNotMisread() {
        Random random = new Random(7);
        List<String> programs = List.of(
                "uprobe:f /pid == 1/ { @x[comm, arg0] = lhist((int32)arg2, 0, 10, 2); @++ }",
                "u:f { @s[tid]=nsecs; @n[tid]=arg1 } ur:f /@s[tid] && 1 < pid/ { @[@n[tid]]=hist((nsecs-@s[tid])/3); delete(@s,tid) }");
        for (int i = 0; i < 40_000; i++) {
            StringBuilder damaged = new StringBuilder(programs.get(i % 2));
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                damaged.setCharAt(random.nextInt(damaged.length()), (char) (32 + random.nextInt(95)));
            }
            try {
                assertThat(parse(damaged.toString())).isNotEmpty();
            } catch (LineSyntaxException
                    | HistogramException
                    | dev.probestream.collector.probe.SpecSyntaxException refused) {
                assertThat(refused).hasMessageContaining(" ");
            }
        }
    }

    private static List<HistogramSpec> parse(String line) {
        return HistogramLine.parse(line, Optional.empty(), List.of(), Optional.empty());
    }
}
