package dev.probestream.collector.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.probestream.collector.probe.LineSyntaxException;
import dev.probestream.collector.probe.SpecSyntaxException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever is typed, a line is understood or refused in the package's own words. */
class TraceLineFuzzTest {
    private static final int ROUNDS = 60_000;
    private static final List<String> LINES = List.of(
            "u:node:http__server__request \"%s %-5d %08x\", arg3, (int)arg5, arg6@user",
            "p:c:open(const char *path, int flags) (!STRCMP(\"a\", path) && (flags & 0x40) != 0) \"%s %x\", path, flags",
            "r:c:read ((int)retval < 0 || $pid == 3) \"failed %d %s\", retval, $task->comm",
            "t:syscalls:sys_enter_openat \"%s %d\", args->filename, args->flags",
            "u:/usr/bin/node:uv_fs_open { printf(\"%s, %d: %s\\n%s\", comm, pid, str(arg2, 16), ustack(5)) }",
            "usdt:/a:b:c, t:d:e /pid == 123 && !(arg2 > 10 || strncmp(comm, \"x\", 1) == 0)/ { printf(\"x\"); } // c",
            "span:uv_fs_open(path=arg3:str, result=ret:s32) /path ^= \"/etc\"/ [ustack]");
    private static final String[] PIECES = {
        "{", "}", "(", ")", "/", "\"", "'", "%", "%s", "%d", ",", ";", ":", "*", "/*", "*/", "//", "&&", "||", "!",
        "==", "&", "arg0", "arg1", "str(", "args.", "->", "$", "@", "0x", "-", "\\", "\u0000", "\u00e9", "u:", "p:",
        "printf(", "(int)", "[", "+"
    };

    @Test
    void nothingEscapesButRefusals() {
        Random random = new Random(4);
        int understood = 0;
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder line = new StringBuilder(LINES.get(random.nextInt(LINES.size())));
            for (int edits = random.nextInt(4); edits >= 0; edits--) {
                edit(line, random);
            }
            understood += isUnderstood(line.toString()) ? 1 : 0;
        }
        assertThat(understood).isPositive().isLessThan(ROUNDS);
    }

    @Test
    void depthIsBounded() {
        isUnderstood("p:c:f (" + "(".repeat(100_000) + "arg1");
        isUnderstood("p:c:f (" + "!".repeat(100_000) + "arg1)");
        isUnderstood("p:c:f \"%d\", " + "(int)".repeat(100_000) + "arg1");
        isUnderstood("u:f { printf(\"%d\", " + "(".repeat(100_000) + "arg1");
        isUnderstood("u:f { printf(\"%s\", " + "str(".repeat(100_000) + "arg1");
    }

    private static void edit(StringBuilder line, Random random) {
        int at = random.nextInt(line.length() + 1);
        switch (random.nextInt(3)) {
            case 0 -> line.insert(at, PIECES[random.nextInt(PIECES.length)]);
            case 1 -> line.delete(at, Math.min(line.length(), at + 1 + random.nextInt(6)));
            default -> line.setLength(at);
        }
    }

    private static boolean isUnderstood(String line) {
        try {
            TraceLine.parse(line);
            return true;
        } catch (LineSyntaxException | SpecSyntaxException e) {
            return false;
        } catch (RuntimeException | StackOverflowError e) {
            return fail("'" + line.substring(0, Math.min(200, line.length())) + "' ends in " + e, e);
        }
    }
}
