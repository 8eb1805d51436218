package dev.probestream.collector.probe.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever is typed: a spec is read, or refused with a position in the text. */
class SpecFuzzTest {
    private static final List<String> GOOD = List.of(
            "uprobe:/usr/bin/node:uv_fs_open+0x10(path=arg3:str[256], fd=arg2:s32, len=*arg3:u32@+8)[ustack]",
            "span:libuv.so.1:uv__fs_work(req=arg1-336:ptr, r=*arg1:s64@-248 at return, code=ret:s32) [stack, pastcheck]",
            "uretprobe:\"v8::internal::Heap::SizeOfObjects(int)\"(n=ret:u64)[counter]",
            "span:v8::internal::Heap::Scavenge(heap=arg1)",
            "tracepoint:sched:sched_switch(prev_comm, next=next_pid:u32)",
            "syscall:writev(fd=arg1:s32, line=*arg2:gostr[64], id=asyncid, ret) /ret > 0 && arg3 == 1/ [ustack]",
            "rawtracepoint:sys_enter(nr=arg2:s64, a=*arg1:char[16]@+112)[kstack]",
            "syscalls [stack]",
            "sched",
            "profile:99hz [ustack] /pid != 1/",
            "usdt:node:gc__start",
            "uprobe:f(n=arg1:s32, *arg2:str@+16@+56) /(arg1 & 0x40) != 0 && !(n <= -3 || comm ^= \"no\\\"de/\")/ [stack]",
            "u:/usr/bin/node:uv_fs_open /pid == 1/ (p=arg2:str[arg3,16])",
            "uprobe:f(url=arg2:str[..arg3,16], all=*arg1:str[..arg2]@+8)",
            "span:f /ret < 0 && duration > 1000 || uid != 0/",
            "tracepoint:sched:sched_wakeup /args.pid == 0xffffffffffffffff || prev_comm != \"\u00e4\" && cpu & 1/",
            "span(uprobe:/bin/x:f(id=arg1:s32, t=arg2:str) /arg2:str ^= \"a\"/ -> uretprobe:g(id=ret) by id) /duration > 5/",
            "span(t:block:block_rq_issue -> t:block:block_rq_complete by dev, sector)",
            "span(usdt:/bin/x:begin [pastcheck] -> rawtracepoint:sys_exit(r=arg2)) /r != 0 && pid == 1/ [ustack]",
            "uprobe:main.f(gostr=arg1:gostr[64]) /arg3:u8 == '/' && arg1:gostr == \"a\"/");
    private static final String ALPHABET =
            "arg0123456789:+-*@()[],=/\"?.%_ \t\nstru8 at return x\u00e4\ud83d\ude00\0&|!<>^\\'/pidcom";
    private static final long SEED = 20_26_11_21;
    private static final int MUTANTS = 200_000;

    @Test
    void onlySyntaxExceptionsEscapeAndTheyPointIntoTheText() {
        Random random = new Random(SEED);
        int read = 0;
        for (int i = 0; i < MUTANTS; i++) {
            String text = mutant(random);
            try {
                SpecParser.parse(text);
                read++;
            } catch (SpecSyntaxException e) {
                assertThat(e.position()).isBetween(0, text.length());
                assertThat(e.text()).isEqualTo(text);
            } catch (RuntimeException e) {
                fail("parse '" + text + "'", e);
            }
        }
        assertThat(read).isPositive();
    }

    private static String mutant(Random random) {
        StringBuilder text = new StringBuilder(GOOD.get(random.nextInt(GOOD.size())));
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            mutate(text, random);
        }
        return text.toString();
    }

    private static void mutate(StringBuilder text, Random random) {
        int at = random.nextInt(text.length() + 1);
        char letter = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
        switch (random.nextInt(5)) {
            case 0 -> text.insert(at, letter);
            case 1 -> text.setLength(at);
            case 2 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(5)));
            case 3 -> text.insert(at, text.substring(0, random.nextInt(text.length() + 1)));
            default -> {
                if (at < text.length()) {
                    text.setCharAt(at, letter);
                }
            }
        }
    }
}
