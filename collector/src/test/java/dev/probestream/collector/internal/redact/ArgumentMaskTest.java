package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines, their arguments separated by blanks; SECRET is what must not come out. */
class ArgumentMaskTest {
    private static final int FUZZ_ROUNDS = 30_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "node server.js --port 3000 | node server.js --port 3000",
                "app --password=SECRET -x | app --password=*** -x",
                "app --password SECRET -x | app --password *** -x",
                "app -password SECRET | app -password ***",
                "app --token SECRET --api-key=SECRET --apiKey SECRET | app --token *** --api-key=*** --apiKey ***",
                "app --db.accessToken=SECRET | app --db.accessToken=***",
                "app --password= --no-password next | app --password= --no-password next",
                "app --password --SECRET | app --password ***",
                "app --use-token --password SECRET x | app --use-token *** *** x",
                "java -Dkeystore.password=SECRET -jar a.jar | java -Dkeystore.password=*** -jar a.jar",
                "env KEY=SECRET DB_SECRET=SECRET GH_TOKEN=SECRET HOME=/root | env KEY=*** DB_SECRET=*** GH_TOKEN=*** HOME=/root",
                "env PGPASSWORD=SECRET AWS_SECRET_ACCESS_KEY=SECRET psql | env PGPASSWORD=*** AWS_SECRET_ACCESS_KEY=*** psql",
                "mysql -uroot -pSECRET db | mysql -uroot -p*** db",
                "/usr/bin/mysqldump -p -uroot db | /usr/bin/mysqldump -p -uroot db",
                "ssh -p 22 host | ssh -p 22 host",
                "sshpass -p SECRET ssh host | sshpass -p *** ssh host",
                "redis-cli -a SECRET ping | redis-cli -a *** ping",
                "curl -u ann:SECRET http://h/ | curl -u *** http://h/",
                "curl http://ann:SECRET@host:80/p?a=SECRET&b=SECRET#SECRET | curl http://***@host:80/p?a=***&b=***#***",
                "psql postgres://ann:SE/CRET@h/db | psql postgres://***@h/db",
                "curl https://h:80/reset/aSECRET1b2;sid=SECRET?a=SECRET | curl https://h:80/reset/***;sid=***?a=***",
                "cat /srv/sessions/aSECRET1b2.json /srv/app.js | cat /srv/sessions/*** /srv/app.js",
                "npm get http://host:80/@scope/name | npm get http://host:80/@scope/name",
                "app DATABASE_URL=postgres://ann:SECRET@h/db | app DATABASE_URL=postgres://***@h/db",
                "openssl -passin pass:SECRET | openssl -passin pass:***",
                "app eyJSECRETSECRETSECRET AKIASECRETSECRETSECR | app *** ***",
                "app X=ghp_SECRETSECRETSECRETSECRET | app ***",
                "app monkey=1 keyboard=2 author=3 --tokenizer=4 | app monkey=1 keyboard=2 author=3 --tokenizer=4",
            })
    void secretsAreMasked(String line, String kept) {
        assertThat(String.join(" ", CommandLines.masked(List.of(line.split(" ")))))
                .isEqualTo(kept);
    }

    /** The kernel keeps 15 bytes of a name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node|node",
                "V8 WorkerThread|V8 WorkerThread",
                "kworker/u8:2-ev|kworker/u8:2-ev",
                "token=SECRET|token=***",
                "w --key=SECRET|w --key=***",
                "ghp_SECRETSECRE|***",
                "x password: SEC|x password:***",
            })
    void namesThatProcessesGiveThemselvesAreMasked(String comm, String kept) {
        assertThat(CommandLines.maskedName(comm)).isEqualTo(kept);
    }

    @Test
    void headersAndMembersAreMasked() {
        assertThat(CommandLines.masked(List.of(
                        "curl",
                        "-H",
                        "Authorization: Bearer SECRET",
                        "-H",
                        "X-Api-Key: SECRET SECRET",
                        "-d",
                        "{\"user\": \"ann\", \"password\": \"SECRET \\\" SECRET\", \"b\": 1}")))
                .containsExactly(
                        "curl",
                        "-H",
                        "Authorization:***",
                        "-H",
                        "X-Api-Key:***",
                        "-d",
                        "{\"user\": \"ann\", \"password\": ***, \"b\": 1}");
    }

    @Test
    void linesForAShellAreMaskedWordByWord() {
        assertThat(CommandLines.masked(
                        List.of("sh", "-c", "cd /x && PGPASSWORD=SECRET psql -c 'a b'; mysql -p'SE CRET' db")))
                .containsExactly("sh", "-c", "cd /x && PGPASSWORD=*** psql -c 'a b'; mysql -p*** db");
        assertThat(CommandLines.masked(List.of("sh", "-c", "curl -H 'Authorization: Basic SECRET' http://h/?a=SECRET")))
                .containsExactly("sh", "-c", "curl -H 'Authorization:***' http://h/?a=***");
        assertThat(CommandLines.masked(List.of("sh", "-c", "exec app --token \"SECRET SECRET\" --x")))
                .containsExactly("sh", "-c", "exec app --token \"***\" --x");
    }

    @Test
    void valuesAtTheStartOfAnArgumentExtendToItsEnd() {
        assertThat(CommandLines.masked(List.of("app", "--password=SECRET SECRET", "x")))
                .containsExactly("app", "--password=***", "x");
    }

    @Test
    void namesInOurSpecsAreNoSecrets() {
        List<String> words = List.of(
                "probestream",
                "record",
                "-p",
                "1",
                "--probes",
                "span:SSL_auth (key=arg1:s32)",
                "--schema-registry",
                "http://a:SECRET@h",
                "--",
                "app",
                "--key=SECRET");

        assertThat(CommandLines.maskedOurs(words))
                .containsExactly(
                        "probestream",
                        "record",
                        "-p",
                        "1",
                        "--probes",
                        "span:SSL_auth (key=arg1:s32)",
                        "--schema-registry",
                        "http://***@h",
                        "--",
                        "app",
                        "--key=***");
    }

    /** The secret is in capitals, which nothing else is. */
    @Test
    void noSecretComesOutHoweverTheLineIsMade() {
        Random random = new Random(20_261_122);
        String[] introductions = {
            "--password=",
            "--token=",
            "api_key=",
            "my-secret=",
            "http://u:",
            "x --password=",
            "x;key=",
            "\"secret\":\"",
            "x 'authorization: bearer "
        };
        String[] options = {"--password", "--client-secret", "-token", "--db.passwd"};
        String[] noise = {"a", "--port", "x=1", "'", "\"", "é", "{", "&", "http://h/p?a", "=", ":", "--", " "};
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            List<String> words = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                words.add(noise[random.nextInt(noise.length)]);
            }
            if (random.nextBoolean()) {
                String introduction = introductions[random.nextInt(introductions.length)];
                words.add(introduction + "SECRET" + (introduction.startsWith("http") ? "@h/" : ""));
            } else {
                words.add(options[random.nextInt(options.length)]);
                words.add("SECRET");
            }
            words.add(noise[random.nextInt(noise.length)]);
            assertThat(String.join(" ", CommandLines.masked(words)))
                    .as(words.toString())
                    .doesNotContain("SECRET");
        }
    }

    @Test
    void anyBytesAreCopiedInLinearTimeAndSpace() {
        Random random = new Random(1);
        String alphabet = "ab-=:/?#&@'\"\\ ,;{}()<>key\0\n1.";
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] text = new byte[random.nextInt(60)];
            for (int i = 0; i < text.length; i++) {
                text[i] = (byte) alphabet.charAt(random.nextInt(alphabet.length()));
            }
            ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(text.length));
            ArgumentMask mask = new ArgumentMask(out);
            mask.begin();
            mask.copy(ByteBuffer.wrap(text), 0, text.length);
            assertThat(out.position()).as(new String(text, UTF_8)).isLessThanOrEqualTo(out.capacity());
        }
        for (String part : new String[] {"\"key\"", "'", "key:", "://", "a=", "-p ", "\\", "key= ", "k"}) {
            byte[] text = part.repeat(1_000_000 / part.length()).getBytes(UTF_8);
            ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(text.length));
            new ArgumentMask(out).copy(ByteBuffer.wrap(text), 0, text.length);
        }
    }

    @Test
    void namesAreOfSecretsByTheirParts() {
        for (String name : Arrays.asList(
                "password", "DB_PASS", "userPwd", "GITHUB_TOKEN", "authToken", "x-api-key", "SSH_KEY", "Cookie")) {
            assertThat(is(name)).as(name).isTrue();
        }
        for (String name : Arrays.asList(
                "", "path", "compass", "monkey", "author", "keyboard", "bypass", "spat", "tokenizer", "mapping")) {
            assertThat(is(name)).as(name).isFalse();
        }
    }

    private static boolean is(String name) {
        byte[] bytes = name.getBytes(UTF_8);
        return SecretName.is(ByteBuffer.wrap(bytes), 0, bytes.length);
    }
}
