package dev.probestream.bpf.tracefs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.tracefs.TracepointField.Kind;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TracepointFormatTest {
    private static final int MUTANTS = 20_000;

    private static String everything() throws Exception {
        try (InputStream in = Objects.requireNonNull(
                TracepointFormatTest.class.getResourceAsStream("/testdata/tracefs/everything.format"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void fieldsHaveTheirFormOffsetAndSize() throws Exception {
        TracepointFormat format = TracepointFormat.parse("everything.format", everything());

        assertThat(format.name()).isEqualTo("everything");
        assertThat(format.id()).isEqualTo(4242);
        assertThat(format.fields())
                .containsExactly(
                        new TracepointField("name", "__data_loc char[]", Kind.TEXT_AT_OFFSET, 8, 4, 1, false),
                        new TracepointField("label", "__rel_loc char[]", Kind.TEXT_BEHIND_FIELD, 12, 4, 1, false),
                        new TracepointField("comm", "char", Kind.CHARS, 16, 16, 1, false),
                        new TracepointField("inode", "const struct inode *", Kind.POINTER, 32, 8, 1, false),
                        new TracepointField("pid", "pid_t", Kind.NUMBER, 40, 4, 1, true),
                        new TracepointField("port", "u16", Kind.NUMBER, 44, 2, 1, false),
                        new TracepointField("ok", "bool", Kind.NUMBER, 46, 1, 1, false),
                        new TracepointField("small", "s8", Kind.NUMBER, 47, 1, 1, true),
                        new TracepointField("saddr", "__u8", Kind.NUMBERS, 48, 4, 4, false),
                        new TracepointField("flags", "unsigned int", Kind.NUMBER, 56, 8, 1, false),
                        new TracepointField("mask", "cpumask_t", Kind.OTHER, 64, 24, 1, false),
                        new TracepointField("many", "u64", Kind.NUMBERS, 88, 256, 32, false));
    }

    @Test
    void whatIsNoFormatIsRefusedWithItsLine() {
        assertThatThrownBy(() -> TracepointFormat.parse("x/format", "name: x\nID: 1\n\tfield:int a; offset:0;\n"))
                .isInstanceOf(TracepointFormatException.class)
                .hasMessageContaining("read x/format, line 3");
        assertThatThrownBy(() -> TracepointFormat.parse("x/format", "nonsense"))
                .isInstanceOf(TracepointFormatException.class)
                .hasMessageContaining("line 1");
        assertThatThrownBy(() -> TracepointFormat.parse("x/format", "name: x\nID: many\n"))
                .isInstanceOf(TracepointFormatException.class)
                .hasMessageContaining("line 2: expected a number, not 'many'");
    }

    @Test
    void mutantsAreReadOrRefused() throws Exception {
        Random random = new Random(7);
        String good = everything();
        for (int i = 0; i < MUTANTS; i++) {
            StringBuilder text = new StringBuilder(good);
            for (int changes = 1 + random.nextInt(5); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(128));
                    case 1 -> text.deleteCharAt(at);
                    default -> text.insert(at, (char) ('0' + random.nextInt(12)));
                }
            }
            try {
                TracepointFormat.parse("mutant", text.toString());
            } catch (TracepointFormatException e) {
                assertThat(e.lineNumber()).isPositive();
            }
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void theKernelsOwnFormatsAreAllRead() throws Exception {
        Tracefs tracefs = Tracefs.open();
        int count = 0;
        for (String category : new String[] {"sched", "syscalls"}) {
            for (String event : tracefs.events(category)) {
                assertThat(tracefs.format(category, event).fields()).noneMatch(field -> field.kind() == Kind.OTHER);
                count++;
            }
        }
        assertThat(count).isGreaterThan(400);
    }
}
