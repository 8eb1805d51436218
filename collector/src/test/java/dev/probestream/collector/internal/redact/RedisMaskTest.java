package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.TextRule;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisMaskTest {
    private final ByteBuffer out = ByteBuffer.allocate(1000);
    private final TextRules rules = new TextRules(out, new Disclosure(true, true, true), probeId -> false);

    private String copy(TextRule rule, String text) {
        out.clear();
        byte[] bytes = text.getBytes(UTF_8);
        rules.copy(rule, ByteBuffer.wrap(bytes), 0, bytes.length, false);
        return new String(out.array(), 0, out.position(), UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "SET key value, SET key value",
        "AUTH SECRET, AUTH ***",
        "auth ann SECRET, auth *** ***",
        "HELLO 3 AUTH ann SECRET SETNAME x, HELLO 3 AUTH *** *** *** ***",
        "CONFIG SET requirepass SECRET maxmemory 1, CONFIG SET requirepass *** maxmemory 1",
        "config set MasterAuth SECRET, config set MasterAuth ***",
        "CONFIG GET maxmemory, CONFIG GET maxmemory",
        "SENTINEL SET m auth-pass SECRET, SENTINEL SET m auth-pass ***",
        "ACL SETUSER ann on >SECRET #SECRET ~k* +@all, ACL SETUSER ann on *** *** ~k* +@all",
        "MIGRATE h 1 k 0 5000 AUTH2 ann SECRET, MIGRATE h 1 k 0 5000 AUTH2 *** ***",
        "EVAL redis.call('auth'...SECRET) 0, EVAL *** 0",
        "EVAL return(1) 0, EVAL return(1) 0",
    })
    void passwordsAreMasked(String command, String kept) {
        String[] words = command.split(" ");
        StringBuilder copied = new StringBuilder(copy(TextRule.REDIS_COMMAND, words[0]));
        for (int i = 1; i < words.length; i++) {
            copied.append(' ').append(copy(TextRule.REDIS_ARGUMENT, words[i]));
        }
        assertThat(copied).hasToString(kept);
    }

    @Test
    void errorsDoNotRepeatArguments() {
        assertThat(copy(TextRule.REDIS_REPLY, "-ERR unknown command 'AUHT', with args beginning with: 'SECRET' "))
                .isEqualTo("-ERR unknown command 'AUHT', with args beginning with: ***");
        assertThat(copy(TextRule.REDIS_REPLY, "-NOAUTH Authentication required."))
                .isEqualTo("-NOAUTH Authentication required.");
    }
}
