package dev.probestream.collector.internal.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.TextRule;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DnsAnswerTest {
    private static final int FUZZ_ROUNDS = 20_000;
    private static final byte[] NAME = name("db", "test");
    private static final byte[] TO_QUESTION = {(byte) 0xc0, 12};

    private final ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(512));
    private final TextRules rules = new TextRules(out, Disclosure.NONE, probeId -> false);

    @Test
    void theNameThatWasAskedForAndAllAddressesAreCopiedAndNothingElse() {
        byte[] answer = answer(
                NAME,
                record(TO_QUESTION, 5, 1, name("secret", "test")),
                record(name("secret", "test"), 1, 1, bytes(10, 0, 0, 3)),
                record(TO_QUESTION, 16, 1, name("secret")),
                record(TO_QUESTION, 28, 1, bytes(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)),
                record(TO_QUESTION, 28, 1, bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 4)),
                record(TO_QUESTION, 1, 3, bytes(1, 2, 3, 4)));

        assertThat(copy(TextRule.DNS_NAME, answer, answer.length)).isEqualTo("db.test");
        assertThat(copy(TextRule.DNS_ADDRESSES, answer, answer.length)).isEqualTo("10.0.0.3 fd00::3 10.0.0.4");
    }

    @Test
    void anAnswerThatIsCutTellsTheAddressesThatAreWhole() {
        byte[] answer = answer(
                NAME, record(TO_QUESTION, 1, 1, bytes(10, 0, 0, 3)), record(TO_QUESTION, 1, 1, bytes(10, 0, 0, 40)));

        assertThat(copy(TextRule.DNS_ADDRESSES, answer, answer.length - 1)).isEqualTo("10.0.0.3 ~");
        assertThat(copy(TextRule.DNS_ADDRESSES, answer, answer.length - 17)).isEqualTo("~");
        assertThat(copy(TextRule.DNS_NAME, answer, answer.length - 17)).isEqualTo("db.test");
        assertThat(copy(TextRule.DNS_NAME, answer, 12 + NAME.length)).isEmpty();
        assertThat(copy(TextRule.DNS_ADDRESSES, answer, 12 + NAME.length)).isEqualTo("~");
    }

    @Test
    void ofWhatIsNoSuchAnswerNothingIsCopied() {
        byte[] pointing = answer(TO_QUESTION, record(TO_QUESTION, 1, 1, bytes(10, 0, 0, 3)));
        byte[] withDots = answer(name("a.b", "test"));
        byte[] severalQuestions = answer(NAME);
        severalQuestions[5] = 2;

        assertThat(copy(TextRule.DNS_NAME, pointing, pointing.length)).isEmpty();
        assertThat(copy(TextRule.DNS_ADDRESSES, pointing, pointing.length)).isEmpty();
        assertThat(copy(TextRule.DNS_NAME, withDots, withDots.length)).isEmpty();
        assertThat(copy(TextRule.DNS_NAME, severalQuestions, severalQuestions.length))
                .isEmpty();
        assertThat(copy(TextRule.DNS_NAME, new byte[0], 0)).isEmpty();
        assertThat(copy(TextRule.DNS_ADDRESSES, new byte[0], 0)).isEmpty();
    }

    @Test
    void damagedAnswersGiveANameAndAddressesOrNothing() {
        Random random = new Random(5);
        byte[] good = answer(
                NAME,
                record(TO_QUESTION, 1, 1, bytes(10, 0, 0, 3)),
                record(TO_QUESTION, 28, 1, bytes(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)));
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] damaged = good.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            int length = random.nextBoolean() ? damaged.length : random.nextInt(damaged.length + 1);

            assertThat(copy(TextRule.DNS_NAME, damaged, length)).matches("|[!-~]+");
            assertThat(copy(TextRule.DNS_ADDRESSES, damaged, length)).matches("([0-9a-f.:]+( [0-9a-f.:]+)* ?)?~?");
        }
    }

    private String copy(TextRule rule, byte[] answer, int length) {
        out.clear();
        boolean isCut =
                rules.copy(rule, ByteBuffer.wrap(Arrays.copyOf(answer, length)), 0, length, length < answer.length);
        return new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1) + (isCut ? "~" : "");
    }

    private static byte[] answer(byte[] name, byte[]... records) {
        byte[] header = bytes(1, 2, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0);
        return joined(header, name, bytes(0, 1, 0, 1), joined(records));
    }

    private static byte[] record(byte[] name, int type, int ofClass, byte[] content) {
        return joined(name, bytes(0, type, 0, ofClass, 0, 0, 0, 60, 0, content.length), content);
    }

    private static byte[] name(String... labels) {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (String label : labels) {
            name.write(label.length());
            name.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        name.write(0);
        return name.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(joined::writeBytes);
        return joined.toByteArray();
    }

    private static byte[] bytes(int... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Arrays.stream(values).forEach(bytes::write);
        return bytes.toByteArray();
    }
}
