package dev.probestream.collector.internal.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.JoinedUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a text is recorded. Fuzzed: what stands where a secret may stand never comes out. */
class TextRulesTest {
    private static final int PID = 7;
    private static final long PARSER = 0x7f12_3456_7890L;
    private static final int PROBE_ID = 3;
    private static final int BEGIN_ID = 2;
    private static final int FUZZ_ROUNDS = 20_000;

    private final ByteBuffer out = ByteBuffer.allocate(10_000);
    private boolean hasLost;
    private final TextRules rules = new TextRules(out, Disclosure.NONE, probeId -> hasLost);

    private String copy(TextRule rule, String text, boolean isCut) {
        return copy(rules, rule, text, isCut);
    }

    private String copy(TextRules by, TextRule rule, String text, boolean isCut) {
        byte[] bytes = (">" + text + "<").getBytes(StandardCharsets.ISO_8859_1);
        out.clear();
        boolean isCopyCut = by.copy(rule, ByteBuffer.wrap(bytes), 1, bytes.length - 1, isCut);
        return new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1) + (isCopyCut ? "~" : "");
    }

    private String pieces(String... pieces) {
        StringBuilder copied = new StringBuilder();
        for (String piece : pieces) {
            rules.selectParser(PID, PARSER, PROBE_ID);
            copied.append(copy(TextRule.URL_PIECE, piece, false)).append('|');
        }
        return copied.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "/ /",
                "* *",
                "'' ''",
                "/a/b.html /a/b.html",
                "/a? /a?",
                "/a?x=1 /a?x=***",
                "/a?x=1&yy=2 /a?x=***&yy=***",
                "/a?x=a=b&y=1;z=2 /a?x=***&y=***",
                "/a?x=1&&y=2& /a?x=***&&y=***&",
                "/a?secret /a?***",
                "/a?=secret /a?***",
                "/a?c2VjcmV0== /a?***",
                "/a?x=&y=1 /a?***&y=***",
                "/a?x=1?y=2#z=3 /a?x=***",
                "/a#secret /a#***",
                "/a#x=1&y /a#x=***&***",
                "http://host:80/a?x=1 http://host:80/a?x=***",
                "http://ann:pw@host/a http://***@host/a",
                "http://ann:p@w@host/a@b http://***@host/a@b",
                "ann:pw@host:443 ***@host:443",
                "host:443 host:443",
                "/cart;jsessionid=1A53?x=1 /cart;jsessionid=***?x=***",
                "http://login.host/users/x7Kp2mQ9 http://login.host/users/x7Kp2mQ9",
                "http://host/reset/x7Kp2mQ9?x=1 http://host/reset/***?x=***",
            })
    void ofAQueryOnlyTheNamesAreKept(String url, String kept) {
        assertThat(copy(TextRule.URL, url, false)).isEqualTo(kept);
    }

    @Test
    void aUrlThatIsCutIsMaskedWhereItMightGoOnAsASecret() {
        assertThat(copy(TextRule.URL, "/a?x=1&to", true)).isEqualTo("/a?x=***&***~");
        assertThat(copy(TextRule.URL, "/abc", true)).isEqualTo("/abc~");
        assertThat(copy(TextRule.URL, "http://ann:p", true)).isEqualTo("***~");
        assertThat(copy(TextRule.QUERY, "x=1&secret", false)).isEqualTo("x=***&***");
    }

    @Test
    void pieceBeginsWithItsNameIfThePieceBeforeEndedInIt() {
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/index.html?to", "ken=se", "cret&b=1", "2&", "c=3"))
                .isEqualTo("/index.html?***|token=***|&b=***|&|c=***|");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/in", "dex.html", "?a=1", "2", "&bb=3")).isEqualTo("/in|dex.html|?a=***||&bb=***|");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("", "/a@b?x=")).isEqualTo("|/a@b?***|");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("http://ann:p", "w@host/a")).isEqualTo("***||");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("http://ann:pw@host/a", "b@c?d=e")).isEqualTo("http://***@host/a|b@c?d=***|");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a?token=secret&b=c",
                "/a?x=1&yy=2&",
                "/a?secret",
                "/a?secret&b=c&last",
                "/a?=x&y==&z==w#q",
                "/p&***?***=1&a==b=c",
                "http://ann:pw@host:80/a?x=y",
                "/a#frag=ment&b",
                "*",
            })
    void piecesGiveWhatTheWholeGivesWhereverTheyAreSplit(String url) {
        String whole = copy(TextRule.URL, url, false);
        for (int first = 1; first < url.length(); first++) {
            for (int second = first; second < url.length(); second++) {
                begin();
                String joined = joined(url.substring(0, first), url.substring(first, second), url.substring(second));
                boolean isHostSplit = url.startsWith("http") && first <= url.indexOf('@') + "@host:80".length();
                assertThat(joined).as("%d, %d", first, second).isEqualTo(isHostSplit ? "***" : whole);
            }
        }
        if (url.charAt(0) == '/') {
            begin();
            assertThat(joined(url.split(""))).isEqualTo(whole);
        }
    }

    @Test
    void aTokenInAPathIsMaskedWhereverItIsSplit() {
        String url = "/app/reset/x7Kp2mQ9Ab/form;sid=SECRET?a=b";
        for (int split = 1; split < url.length(); split++) {
            begin();
            String joined = joined(url.substring(0, split), url.substring(split));
            assertThat(joined)
                    .as("%d", split)
                    .doesNotContain("p2mQ9Ab", "SECRET")
                    .startsWith("/app/reset/");
        }
    }

    @Test
    void ofALongPathInPiecesTheLastFoldersCount() {
        begin();
        assertThat(pieces("/reset/" + "folder/".repeat(30), "x7Kp2mQ9/reset/", "x7Kp2mQ9"))
                .isEqualTo("/reset/" + "folder/".repeat(30) + "|x7Kp2mQ9/reset/|***|");
    }

    @Test
    void whoAsksForPathsGetsThemWithoutParameters() {
        TextRules showing = new TextRules(out, new Disclosure(false, true, false), probeId -> false);

        assertThat(copy(showing, TextRule.URL, "/reset/x7Kp2mQ9;sid=x?a=b", false))
                .isEqualTo("/reset/x7Kp2mQ9;sid=***?a=***");
        assertThat(copy(showing, TextRule.PATH, "/sessions/x7Kp2mQ9", false)).isEqualTo("/sessions/x7Kp2mQ9");
        assertThat(copy(TextRule.PATH, "/sessions/x7Kp2mQ9", false)).isEqualTo("/sessions/***");
    }

    @Test
    void nameThatIsSplitStaysMaskedAfterALossOrACutOrIfItIsLong() {
        begin();
        assertThat(joined("/a?pass")).isEqualTo("/a?***");
        hasLost = true;
        assertThat(joined("et=x&b=1")).isEqualTo("***");
        hasLost = false;

        begin();
        String name = "n".repeat(40);
        assertThat(joined("/a?" + name, name, "=x&b=1")).isEqualTo("/a?***&b=***");
    }

    private String joined(String... pieces) {
        StringBuilder url = new StringBuilder();
        for (String piece : pieces) {
            rules.selectParser(PID, PARSER, PROBE_ID);
            JoinedUrl.append(url, copy(TextRule.URL_PIECE, piece, false));
        }
        return url.toString();
    }

    private void begin() {
        rules.beginMessage(PID, PARSER, BEGIN_ID);
    }

    @Test
    void piecesOfAnUnknownParserAreMaskedUntilItBeginsAMessage() {
        assertThat(pieces("/a", "?b=1", "&c=2")).isEqualTo("***|||");
        rules.beginMessage(PID + 1, PARSER, BEGIN_ID);
        rules.beginMessage(PID, PARSER + 8, BEGIN_ID);
        assertThat(pieces("/a")).isEqualTo("|");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/a")).isEqualTo("/a|");
    }

    @Test
    void whatFollowsALostOrCutOrUnreadablePieceIsMasked() {
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/a?b=1")).isEqualTo("/a?b=***|");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/a")).isEqualTo("/a|");
        hasLost = true;
        assertThat(pieces("secret", "&d=e")).isEqualTo("***||");
        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/whole?x=1")).isEqualTo("/whole?x=***|");
        hasLost = false;

        rules.beginMessage(PID, PARSER, BEGIN_ID);
        rules.selectParser(PID, PARSER, PROBE_ID);
        assertThat(copy(TextRule.URL_PIECE, "/long", true)).isEqualTo("/long~");
        assertThat(pieces("secret", "&d=e")).isEqualTo("|&d=***|");

        rules.beginMessage(PID, PARSER, BEGIN_ID);
        assertThat(pieces("/a")).isEqualTo("/a|");
        rules.markUnreadable(TextRule.URL_PIECE);
        assertThat(pieces("secret")).isEqualTo("|");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET / HTTP/1.1\\r\\nHost: secret\\r\\n\\r\\n|GET / HTTP/1.1",
                "POST /a?x=1 HTTP/1.0\\r\\n\\r\\nsecret|POST /a?x=*** HTTP/1.0",
                "M-SEARCH * HTTP/1.1\\r\\n|M-SEARCH * HTTP/1.1",
                "CONNECT host:443 HTTP/1.1\\n|CONNECT host:443 HTTP/1.1",
                "GET http://a:b@h/?q=1 HTTP/1.1\\r|GET http://***@h/?q=*** HTTP/1.1",
                "HTTP/1.1 200 OK\\r\\nSet-Cookie: secret\\r\\n|HTTP/1.1 200 OK",
                "HTTP/1.1 200 OK\\r\\nContent-Length: 1000\\r\\nX: secret\\r\\n\\r\\n|HTTP/1.1 200 OK (head 52, body 1000)",
                "HTTP/1.1 200 OK\\r\\ntransfer-encoding: gzip, Chunked\\r\\n\\r\\n|HTTP/1.1 200 OK (head 53, chunked)",
                "HTTP/1.1 200 OK\\r\\nX: secret\\r\\n\\r\\n|HTTP/1.1 200 OK (head 30)",
                "HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\n|HTTP/1.1 200 OK",
                "HTTP/1.1 200 OK\\r\\nContent-Length: secret\\r\\n\\r\\n|HTTP/1.1 200 OK",
                "HTTP/1.1 200 OK\\r\\nContent-Length: 1000\\r\\n\\r|HTTP/1.1 200 OK",
                "HTTP/1.1 404 Not Found\\r\\n|HTTP/1.1 404 Not Found",
                "HTTP/1.1 200\\r\\n|HTTP/1.1 200",
                "HTTP/1.1 200 \\r\\n|'HTTP/1.1 200 '",
                "HTTP/1.1 20 OK\\r\\n|''",
                "HTTP/1.1 2000 OK\\r\\n|''",
                "HTTP/1.1\\r\\n|''",
                "HTTP/2 200\\r\\n|''",
                "GET /secret\\r\\n|''",
                "GET /secret|''",
                "GET / HTTP/1.1|''",
                "GET  HTTP/1.1\\r\\n|''",
                "get / HTTP/1.1\\r\\n|''",
                "GET /a b HTTP/1.1\\r\\n|''",
                "GET / HTTP/1.1 secret\\r\\n|''",
                "GET /\\0secret HTTP/1.1\\r\\n|''",
                "GET /a HTTP/1.1\\0\\r\\n|''",
                "THEMETHODHASTOOMANYLETTERS / HTTP/1.1\\r\\n|''",
                "secret|''",
                "5\\r\\nhello\\r\\n|''",
                "''|''",
            })
    void ofAMessageTheFirstLineIsKeptAndOfAnythingElseNothing(String written, String kept) {
        String text = written.replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\0");

        assertThat(copy(TextRule.HTTP_LINE, text, false)).isEqualTo(kept);
        assertThat(copy(TextRule.HTTP_LINE, text + "more", text.indexOf('\r') >= 0))
                .isEqualTo(text.endsWith("HTTP/1.1") || text.isEmpty() ? "" : kept);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /long?x=12|GET /long?x=***~",
                "GET /long|GET /long~",
                "GET /long HTT|GET /long HTT~",
                "GET /long HTTP/1.1|GET /long HTTP/1.1",
                "GET /long secret|''",
                "GET secret|''",
                "HTTP/1.1 200 A long reason|HTTP/1.1 200 A long reason~",
                "GET|''",
            })
    void aLineThatIsCutIsKeptWhenItCanBeNothingElse(String written, String kept) {
        assertThat(copy(TextRule.HTTP_LINE, written, true)).isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /a?b=secret HTTP/1.1\\r\\nCookie: secret\\r\\n\\r\\n|GET /a?b=*** HTTP/1.1 (head 44)",
                "POST /a HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\nsecret|POST /a HTTP/1.1 (head 39, body 9)",
                "POST /a HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n|POST /a HTTP/1.1 (head 48, chunked)",
                "GET /a HTTP/1.1\\r\\nCookie: secret|GET /a HTTP/1.1",
                "HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\n\\r\\nsecret|HTTP/1.1 200 OK (head 38, body 7)",
                "HTTP/1.1 200 OK\\r\\nCookie: secret|HTTP/1.1 200 OK",
                "secret|''",
            })
    void onlyTheFirstLineOfARequestIsRecordedAndHowLongItIs(String read, String kept) {
        String text = read.replace("\\r", "\r").replace("\\n", "\n");
        assertThat(copy(TextRule.HTTP_READ, text, false)).isEqualTo(kept);
        assertThat(copy(TextRule.HTTP_READ, text, true)).isEqualTo(kept);
    }

    @Test
    void aRequestLineThatIsNotCompleteIsRecordedOnlyWhereItIsCut() {
        assertThat(copy(TextRule.HTTP_READ, "GET /lon", false)).isEmpty();
        assertThat(copy(TextRule.HTTP_READ, "GET /lon", true)).isEqualTo("GET /lon~");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 OK\\r\\nSet-Cookie: secret\\r\\n\\r\\nsecret|HTTP/1.1 200 OK",
                "HTTP/1.1 100 Continue\\r\\n\\r\\nHTTP/1.1 204 No Content\\r\\n\\r\\n|HTTP/1.1 204 No Content",
                "HTTP/1.1 103 Early Hints\\r\\nLink: secret\\r\\n\\r\\nHTTP/1.1 100 Continue\\r\\n\\r\\nHTTP/1.1 404 No\\r\\n|HTTP/1.1 404 No",
                "HTTP/1.1 103 Early Hints\\r\\nLink: secret\\r\\n\\r\\n|HTTP/1.1 103 Early Hints",
                "HTTP/1.1 101 Switching Protocols\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n|HTTP/1.1 101 Switching Protocols",
                "HTTP/1.1 103 Early Hints\\r\\n\\r\\nsecret|''",
                "GET / HTTP/1.1\\r\\n|''",
                "secret|''",
            })
    void ofWhatIsReadTheAnswersStatusIsKeptAndNothingElse(String read, String kept) {
        String text = read.replace("\\r", "\r").replace("\\n", "\n");

        assertThat(copy(TextRule.HTTP_STATUS, text, false)).isEqualTo(kept);
        assertThat(copy(TextRule.HTTP_STATUS, text, true)).isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ":method_GET__:authority_secret__:path_/a?b=secret__accept_secret__|GET /a?b=***",
                ":path_/a__:method_POST__:scheme_https__cookie_secret_x:path_/secret__|POST /a",
                ":method_CONNECT__:authority_secret:443__|CONNECT",
                ":path_/a__|/a",
                "cookie_secret__:path_/secret__|''",
                "secret|''",
                ":path|''",
                "''|''",
            })
    void ofHttp2HeadersMethodAndPathAreKept(String headers, String kept) {
        assertThat(copy(TextRule.HTTP2_REQUEST, headers.replace('_', '\0'), false))
                .isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ":method_GET__:path_/a?b=sec|GET /a?b=***~",
                ":method_GET__:authority_secr|GET~",
                ":path_/a__:authority_secr|/a~",
                ":method_GET__:path_/a__:authority_secr|GET /a",
            })
    void http2HeadersThatAreCutSayWhetherTheRequestIs(String headers, String kept) {
        assertThat(copy(TextRule.HTTP2_REQUEST, headers.replace('_', '\0'), true))
                .isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grpc-status_5__grpc-message_secret__|5",
                ":status_200__content-type_application/grpc__grpc-status_13__grpc-message_secret__|13",
                "grpc-message_secret__grpc-status_0__|0",
                "x-grpc-status_5__|''",
                "grpc-status_secret__|''",
                "grpc-status_12345__|''",
                "grpc-status___|''",
                "grpc-status_1|''",
                "grpc-status|''",
                "''|''",
            })
    void ofTrailersTheStatusOfGrpcIsKept(String headers, String kept) {
        assertThat(copy(TextRule.GRPC_STATUS, headers.replace('_', '\0'), false))
                .isEqualTo(kept);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "13,13", "200,200", "1234,''", "-1,''", "1x,''", "secret,''", "'',''"})
    void onlyAShortNumberIsKept(String text, String kept) {
        assertThat(copy(TextRule.NUMBER, text, false)).isEqualTo(kept);
    }

    @Test
    void whoAsksForQueriesGetsThemButNeverMoreThanTheFirstLine() {
        TextRules showing = new TextRules(out, new Disclosure(true, true, true), probeId -> true);

        assertThat(copy(showing, TextRule.URL, "/a?x=1", true)).isEqualTo("/a?x=1~");
        assertThat(copy(showing, TextRule.QUERY, "x=1", false)).isEqualTo("x=1");
        assertThat(copy(showing, TextRule.URL_PIECE, "x=1", false)).isEqualTo("x=1");
        assertThat(copy(showing, TextRule.HTTP_LINE, "GET /a?x=1 HTTP/1.1\r\nb: c\r\n", false))
                .isEqualTo("GET /a?x=1 HTTP/1.1");
        assertThat(copy(showing, TextRule.HTTP_LINE, "x=1", false)).isEmpty();
    }

    /** Secrets are written in capitals, which nothing else is. */
    @Test
    void noSecretComesOutHoweverAUrlIsMadeAndCutIntoPieces() {
        Random random = new Random(1);
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            String whole = url(random);
            boolean isCut = random.nextInt(4) == 0;
            String url = isCut ? whole.substring(0, 1 + random.nextInt(whole.length())) : whole;
            assertThat(copy(TextRule.URL, url, isCut)).as(url).doesNotContainPattern("[A-Z]");
            String request = "GET " + url + (isCut ? "" : " HTTP/1.1\r\nSECRET: SECRET");
            assertThat(copy(TextRule.HTTP_LINE, request, isCut)
                            .replaceFirst("^GET |$", "")
                            .replace("HTTP/1.1", ""))
                    .as(request)
                    .doesNotContainPattern("[A-Z]");
            List<String> pieces = split(random, url);
            hasLost = random.nextInt(8) == 0;
            if (!hasLost || random.nextBoolean()) {
                rules.beginMessage(PID, PARSER, BEGIN_ID);
            }
            if (hasLost) {
                pieces.remove(1 + random.nextInt(pieces.size() - 1));
            }
            assertThat(pieces(pieces.toArray(String[]::new)))
                    .as(pieces.toString())
                    .doesNotContainPattern("[A-Z]");
            hasLost = false;
        }
    }

    @Test
    void noByteBehindTheFirstLineComesOutOfAnything() {
        Random random = new Random(2);
        String alphabet = "GETHP/1. \r\n?=&02:ax@\0";
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? "GET /" : "HTTP/1.1 2");
            int length = random.nextInt(40);
            for (int i = 0; i < length; i++) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String written = text.toString().split("[\r\n]", 2)[0];
            String kept = copy(TextRule.HTTP_LINE, text.toString(), random.nextBoolean());

            assertThat(kept.replace("~", "").replace("***", "").length()).isLessThanOrEqualTo(written.length());
            assertThat(kept).doesNotContain("\r", "\n", "\0");
            assertThat(kept).matches("|(GET [^ ]+( H?T?T?P?/?1?.?.?)?|HTTP/1\\.[0-9] [0-9]{3}( .*)?)~?");
        }
    }

    private static String url(Random random) {
        StringBuilder url = new StringBuilder();
        if (random.nextInt(5) == 0) {
            url.append("http://")
                    .append(random.nextBoolean() ? "SECRET:SECRET@" : "")
                    .append("host");
        }
        url.append("/path");
        for (int i = random.nextInt(4); i > 0; i--) {
            url.append(random.nextInt(5) == 0 ? "/@" : "/x");
        }
        String parts = random.nextInt(6) == 0 ? "#" : "?";
        for (int i = random.nextInt(5); i > 0; i--) {
            url.append(parts);
            parts = "&";
            switch (random.nextInt(6)) {
                case 0 -> url.append("SECRET");
                case 1 -> url.append("SECRET==");
                case 2 -> url.append("=SECRET");
                case 3 -> url.append("n=SE?C#R/ET=");
                case 4 -> url.append("");
                default -> url.append("name=SECRET;SECRET=@SECRET");
            }
        }
        return url.toString();
    }

    private static List<String> split(Random random, String url) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        while (from < url.length()) {
            int to = Math.min(url.length(), from + 1 + random.nextInt(12));
            pieces.add(url.substring(from, to));
            from = to;
        }
        pieces.add("");
        return pieces;
    }
}
