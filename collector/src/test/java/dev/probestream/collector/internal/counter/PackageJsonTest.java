package dev.probestream.collector.internal.counter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PackageJsonTest {
    private static final int ROUNDS = 20_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'name': 'shop', 'version': '1.2.0'}                                    | shop 1.2.0",
                "{'version': '1.2.0-rc.1+5', 'files': [{'name': 'x'}], 'name': '@my/shop'} | @my/shop 1.2.0-rc.1+5",
                "{'name': ' My Shop é '}                                                 | My Shop é",
                "{'name': 'a', 'name': 'shop'}                                           | shop",
                "{'name': 'shop', 'version': 7}                                          | shop",
                "{'name': 'shop', 'version': {'name': 'x'}}                              | shop",
                "{'name': 'shop', 'version': 'password: x'}                              | shop",
                "{'type': 'module'}                                                      |",
                "{'name': ''}                                                            |",
                "{}                                                                      |"
            })
    void nameAndVersionAreRead(String json, String expected) throws IOException {
        assertThat(parse(json).map(PackageJson::toString).orElse(null)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "shop",
                "['shop']",
                "{'name': 'shop'",
                "{'name': 'shop'} more",
                "{'name': 'shop', 'x': 'a}",
                "{'name': 7}",
                "{'name': null}",
                "{'name': ['shop']}",
                "{'name': 'two\\nlines'}",
                "{'name': 'red\\u001b[31m'}",
                "{'name': 'turned \\u202e round'}",
                "{'name': 'two\\u2028lines'}",
                "{'name': 'half \\ud800'}"
            })
    void damagedOnesAreRefused(String json) {
        assertThatThrownBy(() -> parse(json)).isInstanceOf(IOException.class);
    }

    @Test
    void longNamesAndVersionsAreRefused() throws IOException {
        assertThat(parse("{'name': '" + "n".repeat(214) + "'}")).isPresent();
        assertThatThrownBy(() -> parse("{'name': '" + "n".repeat(215) + "'}")).isInstanceOf(IOException.class);
        assertThat(parse("{'name': 'shop', 'version': '" + "1".repeat(65) + "'}"))
                .contains(new PackageJson("shop", ""));
    }

    @Test
    void deepOnesAreRefused() {
        assertThatThrownBy(() -> parse("{'a': " + "[".repeat(5000) + "]".repeat(5000) + ", 'name': 'shop'}"))
                .isInstanceOf(IOException.class);
    }

    @Test
    void mutatedOnesGiveATextOfOneLineOrAreRefused() {
        Random random = new Random(22);
        List<byte[]> files = List.of(
                "{\"name\": \"shop\", \"version\": \"1.2.0\", \"scripts\": {\"start\": \"node .\"}}".getBytes(UTF_8),
                "\ufeff{\"private\": true, \"files\": [\"a\", 1e9, null], \"name\": \"@m\u00fc/\\u00e9\"}"
                        .getBytes(UTF_8));
        int read = 0;
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] file = files.get(round % files.size()).clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                file[random.nextInt(file.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt(256) : file[random.nextInt(file.length)]);
            }
            try {
                Optional<PackageJson> found = PackageJson.parse(file);
                read += found.isPresent() ? 1 : 0;
                found.ifPresent(known -> assertThat(known.toString())
                        .hasSizeBetween(1, 280)
                        .matches(text -> text.codePoints().noneMatch(Character::isISOControl)));
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(read).as("of %s that were read", ROUNDS).isGreaterThan(ROUNDS / 20);
        assertThat(refused).as("of %s that were refused", ROUNDS).isGreaterThan(ROUNDS / 20);
    }

    private static Optional<PackageJson> parse(String json) throws IOException {
        return PackageJson.parse(json.replace('\'', '"').getBytes(UTF_8));
    }
}
