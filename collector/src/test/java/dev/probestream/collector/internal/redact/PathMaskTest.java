package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which parts of paths are masked, and which identifiers stay readable. */
class PathMaskTest {
    private static final int FUZZ_ROUNDS = 20_000;
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final String BASE_64 = LETTERS + "0123456789-_";

    private final ByteBuffer out = ByteBuffer.allocate(4_000);
    private final PathMask urls = new PathMask(out, false, false);
    private final PathMask files = new PathMask(out, true, false);

    private String copy(PathMask mask, String path, boolean isCut) {
        byte[] bytes = (">" + path + "<").getBytes(ISO_8859_1);
        out.clear();
        mask.begin();
        mask.copy(ByteBuffer.wrap(bytes), 1, bytes.length - 1, isCut);
        return new String(out.array(), 0, out.position(), ISO_8859_1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "/shop/cart;jsessionid=1A530637289A03B07199A44E8D531427 /shop/cart;jsessionid=***",
                "/a;x=1;y=2/b;z/c; /a;x=***;y=***/b;***/c;",
                "/reset/x7Kp2mQ9 /reset/***",
                "/users/reset-password/x7Kp2mQ9/form /users/reset-password/***/form",
                "/accounts/reset/MQ/c2h5d8-4d6f0b2e9a1c/ /accounts/reset/MQ/***/",
                "/verify/email/5f3a9c /verify/email/***",
                "/verifyEmail/0d9f2a47-5b1e-4c6a-9d3f-8e7b6a5c4d3e /verifyEmail/***",
                "/invite/ABCDEF /invite/***",
                "/team/invitations/gG4kdP2s/accept /team/invitations/***/accept",
                "/auth/magic-link/k9s8d7f6 /auth/magic-link/***",
                "/api/token=hunter2/x /api/token=***/x",
                "/s/token-9f8e7d6c /s/***",
                "/unsubscribe/qE3vT8 /unsubscribe/***",
                "/services/T02AB3C4D/B02EF5G6H/a1B2c3D4e5F6g7H8i9J0k1L2 /services/T02AB3C4D/B02EF5G6H/***",
                "/bot123456789:AAF1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6/sendMessage /***/sendMessage",
                "/f/9b74c9897bac770ffc029102a200c5de /f/***",
                "/d/V1StGXR8_Z5jdHi6B-myT /d/***",
                "/files/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P /files/***",
            })
    void tokensOfUrlsAreMasked(String path, String kept) {
        assertThat(copy(urls, path, false)).isEqualTo(kept);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "//",
                "/api/v1/users/12345/orders/987654321098765",
                "/users/0d9f2a47-5b1e-4c6a-9d3f-8e7b6a5c4d3e/avatar.png",
                "/users/507f1f77bcf86cd799439011",
                "/events/01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "/assets/index-DiwrgTda.js",
                "/static/js/main.3f2a1b9c.chunk.js",
                "/login/static/js/main.3f2a1b9c.chunk.js",
                "/assets/application-9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de.css",
                "/expressjs/express/commit/297a4acc5464db381940aafb194d1c88f4e678f3",
                "/ann/set-cookie-parser/blob/297a4acc5464db381940aafb194d1c88f4e678f3/index.js",
                "/v2/library/node/blobs/sha256:9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de",
                "/watch/dQw4w9WgXcQ",
                "/dp/B07XJ8C8F5/ref",
                "/blog/2024/01/15/how-to-use-node-20-with-typescript-5-and-es2022",
                "/google.cloud.pubsub.v1.Publisher/ListTopicSubscriptions",
                "/reset",
                "/reset/password",
                "/password/forgot",
                "/oauth2/token",
                "/auth/realms/main/protocol/openid-connect/token",
                "/api/tokens/42",
                "/apis/authentication.k8s.io/v1beta1/tokenreviews",
                "/sessions/new",
                "/keyboards/k380",
                "/wiki/%E3%83%A1%E3%82%A4%E3%83%B3%E3%83%9A%E3%83%BC%E3%82%B8",
                "/img/Screenshot%202024-01-15%20at%2010.11.12.png",
                "/@scope/name/-/name-1.2.3-beta.4.tgz",
                "/sk-bratislava-hotels-2024",
                "/i/i-0abcd1234ef567890",
                "/pods/web-7d4b9c6f5d-x2k4j/log",
            })
    void whatPeopleNeedStaysReadable(String path) {
        assertThat(copy(urls, path, false)).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "/var/lib/php/sessions/sess_k2j4h5g6f7d8s9a0 /var/lib/php/sessions/***",
                "sessions/x7Kp2mQ9.json sessions/***",
                "/srv/sessions/ab/9b74c9897bac770f /srv/sessions/ab/***",
                "/tmp/9b74c9897bac770ffc029102a200c5de /tmp/***",
                "/srv/keys/a1b2c3d4e5.pem /srv/keys/a1b2c3d4e5.pem",
                "/srv/tokens/a1b2c3d4e5.json /srv/tokens/***",
            })
    void tokensInNamesOfFilesAreMasked(String path, String kept) {
        assertThat(copy(files, path, false)).isEqualTo(kept);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/usr/share/zoneinfo/Europe/Prague",
                "/srv/app/node_modules/jsonwebtoken/lib/a1b2C3d4E5f6G7h8I9j0K1.js",
                "/root/.npm/_cacache/content-v2/sha512/d0/a2/3feb4ef1a31493a07ec68cdd457d26cba14d3e6ed4e2723b1049642587f859ca",
                "/var/lib/docker/containers/9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de/hostname",
                "/proc/12345/task/12345/stat",
                "/sys/fs/cgroup/system.slice/node.service/memory.max",
                "/srv/uploads/0d9f2a47-5b1e-4c6a-9d3f-8e7b6a5c4d3e.pdf",
                "/srv/a;b=c",
                "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
            })
    void namesOfFilesStayReadable(String path) {
        assertThat(copy(files, path, false)).isEqualTo(path);
    }

    @Test
    void aTokenThatIsCutIsJudgedByWhatThereIs() {
        assertThat(copy(urls, "/files/x7Kp2m", true)).isEqualTo("/files/***");
        assertThat(copy(urls, "/files/report", true)).isEqualTo("/files/report");
    }

    @Test
    void theRestOfATokenIsMaskedInTheNextPiece() {
        String path = "/files/a1B2c3D4e5F6g7H8i9J0k1L2/edit";
        for (int split = "/files/".length(); split < path.length() - "/edit".length(); split++) {
            String first = copy(urls, path.substring(0, split), false);
            ByteBuffer tail = ByteBuffer.wrap(path.substring(0, split).getBytes(ISO_8859_1));
            byte[] rest = path.substring(split).getBytes(ISO_8859_1);
            out.clear();
            urls.resume(tail, 0, split, true);
            urls.copy(ByteBuffer.wrap(rest), 0, rest.length, false);
            String second = new String(out.array(), 0, out.position(), ISO_8859_1);

            assertThat(second).as("%s %s", first, second).isIn("***/edit", "/edit");
            assertThat(first.equals("/files/***")).isEqualTo(second.equals("/edit"));
        }
    }

    /** One in a hundred may have the form of a word; docs/redaction.md names the numbers. */
    @ParameterizedTest
    @CsvSource({"0123456789abcdef, 32", "0123456789abcdef, 40", "'', 24", "'', 32", "'', 43"})
    void ofRandomTokensTwoInAHundredAreMissedAnywhereAndOneBehindAWord(String digits, int length) {
        Random random = new Random(3);
        String alphabet = digits.isEmpty() ? BASE_64 : digits;
        int missed = 0;
        int missedBehindWord = 0;
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            String token = token(random, alphabet, length);
            missed += copy(urls, "/files/x/" + token, false).endsWith(token) ? 1 : 0;
            missedBehindWord += copy(urls, "/reset/" + token, false).endsWith(token) ? 1 : 0;
        }
        assertThat(missed).isLessThan(FUZZ_ROUNDS * 2 / 100);
        assertThat(missedBehindWord).isLessThan(FUZZ_ROUNDS / 100);
    }

    /** Whatever the bytes: a copy is at most twice as long, and nothing but masks is added. */
    @Test
    void anyBytesAreCopiedOrMasked() {
        Random random = new Random(4);
        String alphabet = "/;=%-_.aZ0f9?reset\u00e9";
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            String path = token(random, alphabet, random.nextInt(60));
            String kept = copy(random.nextBoolean() ? urls : files, path, random.nextBoolean());

            assertThat(kept.length()).isLessThanOrEqualTo(2 * path.length());
            assertThat(kept.replace("***", "").chars().filter(c -> c == '/').count())
                    .isEqualTo(path.chars().filter(c -> c == '/').count());
        }
    }

    private static String token(Random random, String alphabet, int length) {
        StringBuilder token = new StringBuilder();
        for (int i = 0; i < length; i++) {
            token.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return token.toString();
    }
}
