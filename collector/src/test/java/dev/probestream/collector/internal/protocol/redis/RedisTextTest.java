package dev.probestream.collector.internal.protocol.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisTextTest {
    private final RedisText texts = new RedisText(Disclosure.NONE);

    private static List<byte[]> words(String command) {
        return Arrays.stream(command.split(" "))
                .map(word -> word.getBytes(UTF_8))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "get session:8f3a:name, GET session:***:name",
        "set SECRET1 SECRET2, SET *** ***",
        "auth SECRET1, AUTH ***",
        "config set requirepass SECRET1, CONFIG SET ***",
        "client setname SECRET1, CLIENT SETNAME ***",
        "eval SECRET1 0, EVAL ***",
        "ping, PING",
        "json.get doc:7, JSON.GET doc:***",
        "get ann@example.org, GET ***.org",
    })
    void nameAndKeyOfACommandAreKept(String command, String kept) {
        List<byte[]> words = words(command);

        assertThat(texts.of(words, words.size())).isEqualTo(kept);
    }

    @Test
    void whatIsShownHasNoPasswordAllTheSame() {
        RedisText shown = new RedisText(new Disclosure(true, false, false));

        assertThat(shown.of(words("set a:1 b"), 3)).isEqualTo("set a:1 b");
        assertThat(shown.of(words("auth SECRET"), 2)).isEqualTo("auth ***");
    }
}
