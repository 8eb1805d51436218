package dev.probestream.collector.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.dialect.Message.Part.Source;
import dev.probestream.collector.dialect.Message.Style;
import dev.probestream.collector.probe.LineSyntaxException;
import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each line means in our grammar, and what it prints. Conversions are shown with their letter and size. */
class TraceLineTest {
    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            u:node:http__server__request "%s %s %s", arg3, arg5, arg6 ~ u:node:http__server__request(arg3=arg3:str, arg5=arg5:str, arg6=arg6:str) ~ <arg0 s>< ><arg1 s>< ><arg2 s>
            p:c:open(const char *path, int flags) "open %s %x", path, flags ~ uprobe:c:open(arg1=arg1:str, arg2=arg2:s32) ~ <open ><arg0 s>< ><arg1 x4>
            p:c:open (STRCMP("test.txt", arg1)) "%s", arg1 ~ uprobe:c:open(arg1=arg1:str) /arg1:str == "test.txt"/ ~ <arg0 s>
            p:c:open(char *path) (!strcmp("a", path)) "%s", (char *)arg1 ~ uprobe:c:open(arg1=arg1:str) /arg1:str == "a"/ ~ <arg0 s>
            p:c:open (strcmp("x", arg1) == 0 && strcmp(arg2, "y")) ~ uprobe:c:open /arg1:str == "x" && arg2:str != "y"/ ~ -
            p:c:open (arg2 == 0 && !STRCMP("x", arg1)) ~ uprobe:c:open /arg2:s64 == 0 && !(arg1:str == "x")/ ~ -
            p:c:f (arg1 & 0x40) "x" ~ uprobe:c:f /(arg1:s64 & 64) != 0/ ~ <x>
            p:c:f ((arg1 & 0x40) == 0 || arg2 == 'c') "x" ~ uprobe:c:f /(arg1:s64 & 64) == 0 || arg2:s64 == 99/ ~ <x>
            p:c:f ((unsigned int)arg1 >= 10 && !(arg2 < 3 || arg3 > -1)) "x" ~ uprobe:c:f /arg1:u32 >= 10 && !(arg2:s64 < 3 || arg3:s64 > -1)/ ~ <x>
            p:/lib/x.so:fn+0x10 "%d %ld %hu %lx %c %p", arg1, arg1, arg2, arg3, arg4, arg5 ~ uprobe:/lib/x.so:fn+0x10(arg1=arg1:s32, arg1_2=arg1:s64, arg2=arg2:u16, arg3=arg3:u64, arg4=arg4:u8, arg5=arg5:ptr) ~ <arg0 d4>< ><arg1 d8>< ><arg2 u2>< ><arg3 x8>< ><arg4 c1>< ><arg5 p8>
            c:malloc "size = %lu%%", arg1 ~ uprobe:c:malloc(arg1=arg1:u64) ~ <size = ><arg0 u8><%>
            r:c:read ((int)retval < 0) "%d %lx", retval, retval ~ uretprobe:c:read(ret=ret:s64) /ret:s32 < 0/ ~ <ret d4>< ><ret x8>
            r:/bin/bash:readline "%s", retval ~ uretprobe:/bin/bash:readline(ret=ret:str) ~ <arg0 s>
            t:syscalls:sys_enter_openat "%s %d", args->filename, args->flags ~ tracepoint:syscalls:sys_enter_openat(filename=filename:str, flags=flags) ~ <arg0 s>< ><arg1 d4>
            t:block:block_rq_issue ~ tracepoint:block:block_rq_issue ~ -
            u:libc:memory_sbrk_more ~ u:libc:memory_sbrk_more ~ -
            u:/lib/libc.so.6:libc:setjmp "%lx", arg1@user ~ usdt:/lib/libc.so.6:libc:setjmp(arg1=arg1:u64) ~ <arg0 x8>
            p:c:f ($pid == 12 && $tgid != 3) "%d %d %d %s %d", $pid, $tgid, $uid, $task->comm, $cpu ~ uprobe:c:f /tid == 12 && pid != 3/ ~ <TID d4>< ><PID d4>< ><UID d4>< ><COMM s>< ><CPU d4>
            u:node:x (path=arg1:str) ~ u:node:x (path=arg1:str) ~ -
            t:a:b (x, y) [ustack] ~ t:a:b (x, y) [ustack] ~ -
            t:a:b /pid == 3/ ~ t:a:b /pid == 3/ ~ -
            t:a:b (args->x > 3) "%d" args.y ~ tracepoint:a:b(y=y) /x > 3/ ~ <arg0 d4>
            c:malloc "size = %d" arg1 ~ uprobe:c:malloc(arg1=arg1:s32) ~ <size = ><arg0 d4>
            p:c:write (arg1 == 1) "%d bytes" (int)arg3 ~ uprobe:c:write(arg3=arg3:s32) /arg1:s64 == 1/ ~ <arg0 d4>< bytes>
            p:/x/y:ns::f "%d", arg1 ~ uprobe:/x/y:ns::f(arg1=arg1:s32) ~ <arg0 d4>
            ./a.out:main+0xd "x" ~ uprobe:./a.out:main+0xd ~ <x>
            p:/x/y:"ns::f(int)" "x" ~ uprobe:/x/y:"ns::f(int)" ~ <x>
            uprobe:open(path=arg1:str) /path == "{"/ ~ uprobe:open(path=arg1:str) /path == "{"/ ~ -
            """)
    void oursAndThoseOfBcc(String line, String spec, String message) {
        List<TraceLine> lines = TraceLine.parse(line);

        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).spec().text()).isEqualTo(spec);
        assertThat(shown(lines.get(0))).isEqualTo(message);
        assertThat(lines.get(0).message().stream()).allMatch(printed -> printed.style() == Style.COLUMNS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            uprobe:f /arg1 / 1000 - arg0 % 7 > -1 && !(arg0 + 1) && (arg0 * 2 + 1) * 3/ { printf("x") } ~ uprobe:f /((arg2:s64 / 1000) - (arg1:s64 % 7)) > -1 && (arg1:s64 + 1) == 0 && (((arg1:s64 * 2) + 1) * 3) != 0/ ~ <x>
            uprobe:f { printf("%d us %d", (arg1 - arg0) / 1000, arg0); } ~ uprobe:f(arg2=arg2:s64, arg1=arg1:s64) ~ <COMPUTED d8>< us ><arg1 d8>
            uretprobe:f { printf("%d", retval * -2) } ~ uretprobe:f(ret=ret:s64) ~ <COMPUTED d8>
            t:a:b { printf("%d", args.x % 7) } ~ tracepoint:a:b(x=x) ~ <COMPUTED d8>
            t:a:b /args.ret / 1024 == 2 + 1/ { printf("x") } ~ tracepoint:a:b /(ret / 1024) == (2 + 1)/ ~ <x>
            u:/usr/bin/node:uv_fs_open { printf("%s: %s\\n%s\\n", comm, str(arg2), ustack) } ~ u:/usr/bin/node:uv_fs_open(arg3=arg3:str) [ustack] ~ <COMM s><: ><arg0 s><\\n><USER_STACK s><\\n>
            usdt:/usr/bin/node:node:gc__start { printf("%d\\n", arg0); } ~ usdt:/usr/bin/node:node:gc__start(arg1=arg1:s64) ~ <arg0 d8><\\n>
            usdt:node:gc__start /arg0 == 3 && comm == "node"/ { printf("%d %s", arg0, str(arg1, 16)); printf("%%") } ~ usdt:node:gc__start(arg1=arg1:s64, arg2=arg2:str[16]) /arg1:s64 == 3 && comm == "node"/ ~ <arg0 d8>< ><arg1 s><%>
            U:/a/b:name { printf("%x", 10) } ~ usdt:/a/b:name ~ <NUMBER x8>
            usdt:*:node:gc__* { printf("%d", pid) } ~ usdt:node:gc__* ~ <PID d8>
            ur:/bin/bash:readline /(int32)retval != -1/ { printf("%s %d", str(retval), retval); } ~ uretprobe:/bin/bash:readline(ret=ret:str, ret=ret:s64) /ret:s32 != -1/ ~ <arg0 s>< ><ret d8>
            t:a:b /pid == 123 && args.flags > 10/ { printf("%s %d", str(args->filename), args.flags) } ~ tracepoint:a:b(filename=filename:str, flags=flags) /pid == 123 && flags > 10/ ~ <arg0 s>< ><arg1 d8>
            t:syscalls:sys_exit_read /args.ret > 0/ { printf("%d", args.ret) } ~ tracepoint:syscalls:sys_exit_read(ret=ret) /ret > 0/ ~ <arg0 d8>
            t:a:b /args.pid == 3 && args->comm == "x" && pid == 4/ { printf("%d", args.pid) } ~ tracepoint:a:b(pid=pid) /args.pid == 3 && args.comm:str == "x" && pid == 4/ ~ <arg0 d8>
            rt:sched_switch { printf("%u", arg0) } ~ rawtracepoint:sched_switch(arg1=arg1:u64) ~ <arg0 u8>
            uprobe:/usr/bin/node:uv_fs_* { printf("%s %s %d %d %s", probe, func, nsecs, elapsed, kstack(5)) } ~ uprobe:/usr/bin/node:uv_fs_* [kstack] ~ <PROBE s>< ><FUNCTION s>< ><TIMESTAMP d8>< ><ELAPSED d8>< ><KERNEL_STACK s>
            /* a */ uprobe:f /* b */ /uid == 0 && cpu != 1/ { // c ~ uprobe:f /uid == 0 && cpu != 1/ ~ !
            uprobe:f /strncmp(str(arg0), "abc", 3) == 0 || str(arg1) != "/x"/ { printf("x") } ~ uprobe:f /arg1:str ^= "abc" || arg2:str != "/x"/ ~ <x>
            uprobe:f /!(pid == 1 || tid == 2) && !arg1/ { printf("x") } ~ uprobe:f /!(pid == 1 || tid == 2) && arg2:s64 == 0/ ~ <x>
            uprobe:f { printf("%s|%-16s", str(arg0, arg1), comm) } ~ uprobe:f(arg1=arg1:str[arg2]) ~ <arg0 s><|><COMM s>
            uprobe:/x/y:"foo::bar(int)" { printf("%s", probe) } ~ uprobe:/x/y:"foo::bar(int)" ~ <uprobe:/x/y:"foo::bar(int)">
            usdt::node:gc__start { printf("x") } ~ usdt:node:gc__start ~ <x>
            usdt::gc__start { printf("x") } ~ usdt:*:gc__start ~ <x>
            usdt:*:gc__start { printf("x") } ~ usdt:*:gc__start ~ <x>
            usdt:./a:gc__start { printf("x") } ~ usdt:./a:gc__start ~ <x>
            usdt:libc:setjmp { printf("%s", str(arg2, 3)) } ~ usdt:libc:setjmp(arg3=arg3:str[3]) ~ <arg0 s>
            uprobe:./a.out:main { printf("x") } ~ uprobe:./a.out:main ~ <x>
            uprobe:./a.out:cpp:"ns::f(int)" { printf("x") } ~ uprobe:./a.out:"ns::f(int)" ~ <x>
            uprobe:./a.out:cpp:main { printf("x") } ~ uprobe:./a.out:main ~ <x>
            u:/x/y:f+8 { printf("x") } ~ uprobe:/x/y:f+8 ~ <x>
            t:a:in { @filename[tid] = args.filename; } t:a:out /@filename[tid]/ { printf("%d %s %d", pid, str(@filename[tid]), args.ret); delete(@filename[tid]); } ~ span(tracepoint:a:in(filename=filename:str) -> tracepoint:a:out(ret=ret)) ~ <PID d8>< ><arg0 s>< ><arg1 d8>
            t:a:in { @tpid[tid] = args.pid; @tsig[tid] = args.sig; } t:a:out /@tpid[tid]/ { printf("%d %d %d", @tsig[tid], @tpid[tid], args.ret); delete(@tpid, tid); delete(@tsig, tid); } ~ span(tracepoint:a:in(tsig=sig, tpid=pid) -> tracepoint:a:out(ret=ret)) ~ <arg0 d8>< ><arg1 d8>< ><arg2 d8>
            uprobe:f { @s[tid] = nsecs; @n[tid] = arg0; } ur:f /@s[tid] && retval < 0/ { printf("%d %d us %d %x", @n[tid], (nsecs - @s[tid]) / 1000, nsecs - @s[tid], retval); delete(@s[tid]); } ~ span(uprobe:f(n=arg1:s64) -> uretprobe:f(ret=ret:u64) /ret:s64 < 0/) ~ <arg0 d8>< ><COMPUTED d8>< us ><COMPUTED d8>< ><arg1 x8>
            uprobe:f { @s[arg0] = str(arg1); } uprobe:g { printf("%s %d", @s[arg0], arg1); delete(@s[arg0]); } ~ span(uprobe:f(key1=arg1:s64, s=arg2:str) -> uprobe:g(key1=arg1:s64, arg2=arg2:s64) by key1) ~ <arg1 s>< ><arg2 d8>
            uprobe:f { @x[tid] = arg0; } uprobe:g { printf("%d", @x[tid] - arg0); delete(@x[tid]); } ~ span(uprobe:f(x=arg1:s64) -> uprobe:g(arg1=arg1:s64)) ~ <COMPUTED d8>
            """)
    void thoseOfBpftrace(String line, String spec, String message) {
        String program = message.equals("!") ? line + "\n printf(\"x\") }" : line;

        List<TraceLine> lines = TraceLine.parse(program);

        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).spec().text()).isEqualTo(spec);
        assertThat(shown(lines.get(0))).isEqualTo(message.equals("!") ? "<x>" : message);
        assertThat(lines.get(0).message())
                .hasValueSatisfying(printed -> assertThat(printed.style()).isEqualTo(Style.PLAIN));
    }

    @Test
    void aProgramOfSeveralProbesIsSeveralLines() {
        List<TraceLine> lines =
                TraceLine.parse("u:/a:f, ur:/a:f /pid == 1/ { printf(\"%d\", tid) } t:c:e { printf(\"e\") }");

        assertThat(lines.stream().map(line -> line.spec().text()))
                .containsExactly("u:/a:f /pid == 1/", "uretprobe:/a:f /pid == 1/", "tracepoint:c:e");
    }

    @Test
    void aConversionKeepsItsFlags() {
        Message message = TraceLine.parse("p:c:f \"%-16s|%+05d|%#.3lx\", arg1, arg2, arg3")
                .get(0)
                .message()
                .orElseThrow();

        assertThat(message.parts().stream()
                        .filter(part -> part.source() != Source.LITERAL)
                        .map(Message.Part::conversion))
                .containsExactly(
                        new PrintfConversion('s', 4, true, false, '\0', false, 16, -1),
                        new PrintfConversion('d', 4, false, true, '+', false, 5, -1),
                        new PrintfConversion('x', 8, false, false, '\0', true, 0, 3));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            do_sys_open "%s", arg2                  ~ 0  ~ kernel functions (do_sys_open) are not supported
            p::do_sys_open                          ~ 0  ~ use the tracepoint t:syscalls:sys_enter_openat;
            p::sys_enter_openat                     ~ 0  ~ use the tracepoint t:syscalls:sys_enter_openat;
            r::__x64_sys_exit_openat                ~ 0  ~ use the tracepoint t:syscalls:sys_exit_openat;
            p::do_sys_open                          ~ 0  ~ for a function of the traced program use uprobe:do_sys_open
            x:y:z:w                                 ~ 0  ~ expected p:, r:, t: or u:
            p:c:open "%s %K", arg1                  ~ 9  ~ %K, the name of the kernel function at an address
            p:c:open "%U", arg3                     ~ 9  ~ %U, the name of the function at an address, is not supported
            p:c:open "%s" ,                         ~ 15 ~ expected a value
            p:c:open "%s %d", arg1                  ~ 9  ~ the format has 2 conversions, but there are 1 values
            p:c:open "%f", arg1                     ~ 9  ~ conversion %f is not supported
            p:c:open "%d", arg1 << 1                ~ 20 ~ a printed value is computed with + - * / %
            p:c:open "%d", arg1 + comm              ~ 22 ~ 'comm' is not supported
            p:c:open "%s", arg1 + 1                 ~ 15 ~ this value is a number
            p:c:open "%d", arg1->x                  ~ 19 ~ structures are not supported
            p:c:open "%d", *arg1                    ~ 15 ~ reading through a pointer is not supported
            p:c:open "%d", foo                      ~ 15 ~ 'foo' is not supported; supported are arg1, arg2
            p:c:open (arg1 ^ 3) "x"                 ~ 15 ~ '^' is not supported in a condition
            p:c:open (arg1 & 4 == 4) "x"            ~ 19 ~ '==' compares a number of the probe with a number
            p:c:open (arg1 "x"                      ~ 15 ~ expected ')' at the end of the condition
            p:c:open "%d, arg1                      ~ 9  ~ unterminated "
            u:a:b(int x) (x == 1) "x"               ~ 5  ~ a USDT probe has no signature
            r:c:open "%d", arg1                     ~ 0  ~ the arguments are gone when the function returns
            uprobe:f { @[comm] = count() }          ~ 11 ~ maps (@) are not supported by trace; use hist
            uprobe:f { $x = 1; }                    ~ 11 ~ variables ($) are not supported
            uprobe:f { if (pid == 1) { exit() } }   ~ 11 ~ use a /condition/ before the braces
            uprobe:f { exit() }                     ~ 11 ~ use the option -M to end after
            uprobe:f { printf("%r", buf(arg0, 3)) } ~ 24 ~ 'buf()' is not supported
            uprobe:f { printf("%s", arg0) }         ~ 24 ~ use str(...) for the text at a pointer
            uprobe:f { printf("%d", str(arg0)) }    ~ 24 ~ this value is text, which needs %s
            uprobe:f { printf("%d", arg0 ^ 1) }     ~ 29 ~ a printed value is computed with + - * / %
            uprobe:f { printf("%d", pid + 1) }      ~ 24 ~ only arguments, fields and returned values are computed with
            uprobe:f { printf("%s", arg0 + 1) }     ~ 24 ~ this value is a number
            uprobe:f { }                            ~ 11 ~ empty block: expected printf
            uprobe:f /retval == 3/ { printf("x") }  ~ 0  ~ nothing has been returned yet at a uprobe
            uprobe:f /nsecs > 3/ { printf("x") }    ~ 10 ~ nsecs is not supported in a condition
            uprobe:f /strncmp(comm, "abc", 2) == 0/ { printf("x") } ~ 31 ~ must be the length of the literal, 3
            BEGIN { printf("x") }                   ~ 0  ~ BEGIN is not supported
            interval:s:1 { printf("x") }            ~ 0  ~ timers are not supported
            kprobe:f { printf("x") }                ~ 0  ~ kernel functions (f) are not supported
            uprobe:f { printf("x")                  ~ 22 ~ expected ';' after printf(...), not the end of the line
            """)
    void whatCannotBeDoneIsRefusedWithItsPlace(String line, int position, String problem) {
        assertThatThrownBy(() -> TraceLine.parse(line)).isInstanceOfSatisfying(LineSyntaxException.class, refused -> {
            assertThat(refused).hasMessageContaining(problem);
            assertThat(refused.position()).isEqualTo(position);
        });
    }

    @Test
    void aSpecOfOursThatIsWrongIsShownAsItIs() {
        assertThatThrownBy(() -> TraceLine.parse("uprobe:f(path=arg1:strr)")).isInstanceOf(SpecSyntaxException.class);
    }

    private static String shown(TraceLine line) {
        return line.message()
                .map(message ->
                        message.parts().stream().map(TraceLineTest::shown).collect(Collectors.joining()))
                .orElse("-");
    }

    private static String shown(Message.Part part) {
        PrintfConversion conversion = part.conversion();
        if (part.source() == Source.LITERAL) {
            return "<" + part.text().replace("\n", "\\n") + ">";
        }
        String what = part.source() == Source.ARGUMENT
                ? "arg" + part.argument()
                : part.source() == Source.RETURN_VALUE ? "ret" : part.source().name();
        return "<" + what + " " + conversion.letter() + (conversion.isText() ? "" : conversion.sizeBytes()) + ">";
    }
}
