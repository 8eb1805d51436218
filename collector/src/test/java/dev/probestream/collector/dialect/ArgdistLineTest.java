package dev.probestream.collector.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** argdist's spellings and what they mean in our grammar. */
class ArgdistLineTest {
    private static final String ALPHABET = "arg0129:+-*@()[],=/\"$#?.%_ \t\nstru8 int char &|!<>\u00e4\0";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            p:c:malloc(size_t size):size_t:size                  | uprobe:c:malloc(size=arg1:u64)                  | size
            p:c:malloc(size_t size):size_t:size#alloc size       | uprobe:c:malloc(size=arg1:u64)                  | size
            p:c:fork()#fork calls                                | uprobe:c:fork                                   |
            r:c:gets():char*:$retval                             | uretprobe:c:gets(retval=ret:str[64])            | retval
            r:c:read():int:$retval:$retval < 0                   | uretprobe:c:read(ret:s32) /ret:s32 < 0/         | ret
            r:c:read()                                           | uretprobe:c:read(ret:s32)                       | ret
            p:c:write(int fd, char* buf, size_t len):char*:buf:fd==1 | uprobe:c:write(buf=arg2:str[64]) /arg1:s32 == 1/ | buf
            p:c:write(int fd):int,u32:fd,$PID                    | uprobe:c:write(fd=arg1:s32)                     | fd,pid
            r:c:open(char *path, int flags):int,int:$retval,$entry(flags) | span:c:open(ret:s32, flags=arg2:s32) | ret,flags
            r:c:read(int fd):u64:$retval:$latency > 1000 && $entry(fd) != 3 | span:c:read(ret:u64) /duration > 1000 && arg1:s32 != 3/ | ret
            t:irq:irq_handler_entry():int:args->irq              | tracepoint:irq:irq_handler_entry(irq)           | irq
            t:sched:sched_process_exec():char*:args->filename    | tracepoint:sched:sched_process_exec(filename=filename:str[64]) | filename
            t:syscalls:sys_enter_openat():char*,int:args.filename,args.flags:args->flags > 0 | tracepoint:syscalls:sys_enter_openat(filename=filename:str[64], flags) /flags > 0/ | filename,flags
            t:syscalls:sys_exit_epoll_wait():char*:$COMM         | tracepoint:syscalls:sys_exit_epoll_wait | comm
            u:pthread:pthread_start():u64:arg2                   | u:pthread:pthread_start(arg2=arg2:u64)          | arg2
            p:/usr/bin/node:main(int argc)                       | uprobe:/usr/bin/node:main                       |
            """)
    void countsAreTranslated(String line, String spec, String keys) {
        HistogramSpec parsed = ArgdistLine.count(line);

        assertThat(parsed.probe().text()).isEqualTo(spec);
        assertThat(String.join(",", parsed.keys())).isEqualTo(keys == null ? "" : keys);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            r:c:read(int fd, void *buf, size_t count):u64:$latency       | span:c:read                          | duration
            r:c:read(int fd, void *buf, size_t count):u64:$entry(count)  | span:c:read(count=arg3:u64)          | count
            p:c:malloc(size_t size):size_t:size:size > 0 && size < 100   | uprobe:c:malloc(size=arg1:u64) /arg1:u64 > 0 && arg1:u64 < 100/ | size
            t:block:block_rq_complete():u32:args->nr_sector              | tracepoint:block:block_rq_complete(nr_sector) | nr_sector
            r:c:read()                                                   | uretprobe:c:read(ret:s32)            | ret
            r:c:malloc(size_t size):u64:$latency/$entry(size)            | span:c:malloc(size=arg1:u64)         | duration / size
            p:c:f(int a, int b):int:(b-a)%10:b-a>3                       | uprobe:c:f(b=arg2:s32, a=arg1:s32) /(arg2:s32 - arg1:s32) > 3/ | (b - a) % 10
            """)
    void histogramsAreTranslated(String line, String spec, String of) {
        HistogramSpec parsed = ArgdistLine.histogram(line);

        assertThat(parsed.probe().text()).isEqualTo(spec);
        assertThat(parsed.of()).isEqualTo(of);
        assertThat(parsed.keys()).isEmpty();
    }

    @Test
    void theSizeOfTextsIsAnOption() {
        String line = "p:c:open(char *path, int flags):char*,int:path,flags";
        HistogramSpec parsed = ArgdistLine.count(line, 80);

        assertThat(parsed.probe().text()).isEqualTo("uprobe:c:open(path=arg1:str[80], flags=arg2:s32)");
        assertThat(parsed.keys()).containsExactly("path", "flags");
        assertThatThrownBy(() -> ArgdistLine.histogram("p:c:open(char *path):char*:path", 80))
                .hasMessageContaining("a histogram needs a numeric value of the probe");
    }

    @Test
    void theLabelIsTheTitle() {
        assertThat(ArgdistLine.count("p:c:fork()#fork calls").title()).isEqualTo("fork calls");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            p::__kmalloc(u64 size):u64:size           | 2  | use the tracepoint t:kmem:kmalloc
            r::vfs_read()                             | 2  | use the tracepoint t:syscalls:sys_exit_read
            x:c:f()                                   | 0  | expected the kind of the probe
            p:c:malloc                                | 10 | after the name; a signature may be empty
            p                                         | 0  | expected the kind of the probe
            p:c:f(int n):foo:n                        | 13 | unknown type
            p:c:f(int n):int:m                        | 17 | is not supported; supported are
            p:c:f(int n):int:n/2                      | 18 | a count is by plain values
            p:c:f(int n):int:n,n                      | 19 | fewer types than expressions
            p:c:f(int n):int,int:n                    | 17 | more types than expressions
            p:c:f(int n):int:$retval                  | 17 | $retval is only supported with r:
            p:c:f(int n):int:$latency                 | 17 | $latency is only supported with r:
            r:c:f(int n):int:n                        | 17 | $entry(NAME)
            r:c:f(int n):int:$entry(m)                | 24 | has no parameter
            p:c:f(int n):int:1                        | 17 | cannot count by a constant
            t:irq:irq_handler_entry(int irq)          | 24 | only functions have a signature
            p:c:f(int n):int:n:n ^ 3                  | 21 | is not supported in a condition
            """)
    void whatCannotBeDoneIsRefusedWithItsPlace(String line, int position, String problem) {
        assertThatThrownBy(() -> ArgdistLine.count(line))
                .isInstanceOfSatisfying(
                        LineSyntaxException.class, e -> assertThat(e.position()).isEqualTo(position))
                .hasMessageContaining(problem);
    }

    @Test
    void aHistogramIsOfOneNumber() {
        assertThatThrownBy(() -> ArgdistLine.histogram("p:c:f(int a, int b):int,int:a,b"))
                .hasMessageContaining("a histogram needs exactly one expression");
        assertThatThrownBy(() -> ArgdistLine.histogram("p:c:f(char *a):char*:a"))
                .hasMessageContaining("a histogram needs a numeric value");
        assertThatThrownBy(() -> ArgdistLine.histogram("p:c:f(char *a)"))
                .hasMessageContaining("a histogram needs a type and an expression");
    }

    @Test
    void whateverIsTypedIsReadOrRefused() {
        List<String> good = List.of(
                "r:c:open(char *path, int flags):int,int:$retval,$entry(flags):$latency > 10 && $entry(flags) != 0#opens",
                "p:c:write(int fd, const char *buf, size_t len):char*:buf:fd==1 || (len & 3) == 0",
                "t:irq:irq_handler_entry():int:args->irq:args->irq > 3",
                "u:node:gc__start():u64:arg2");
        Random random = new Random(20_26_11_21);
        int read = 0;
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder(good.get(random.nextInt(good.size())));
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                int at = random.nextInt(text.length() + 1);
                switch (random.nextInt(3)) {
                    case 0 -> text.insert(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
                    case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(6)));
                    default -> text.insert(at, text.substring(0, random.nextInt(text.length() + 1)));
                }
            }
            try {
                HistogramSpec unused =
                        i % 2 == 0 ? ArgdistLine.count(text.toString()) : ArgdistLine.histogram(text.toString());
                read++;
            } catch (LineSyntaxException e) {
                assertThat(e.position()).isBetween(0, text.length());
            } catch (HistogramException e) {
                assertThat(e).hasMessageMatching("(?s).+");
            } catch (RuntimeException e) {
                fail("parse '" + text + "'", e);
            }
        }
        assertThat(read).isPositive();
    }
}
