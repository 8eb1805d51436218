package dev.probestream.collector.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.process.TargetRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which package.json is that of the application; the working directory is "srv/shop". */
class NodeApplicationTest {
    private static final String SHOP = "{\"name\": \"shop\", \"version\": \"1.2.0\"}";

    @TempDir
    private Path folder;

    private Path shop;

    @BeforeEach
    void begin() throws IOException {
        folder = folder.toRealPath();
        shop = folder.resolve("srv/shop");
        write("srv/shop/package.json", SHOP);
        write("srv/shop/server.js", "");
        write("srv/shop/dist/package.json", "{\"type\": \"module\"}");
        write("srv/shop/dist/main.js", "");
        write("srv/shop/node_modules/next/package.json", "{\"name\": \"next\"}");
        write("srv/shop/node_modules/next/bin/next.js", "");
        Files.createDirectories(shop.resolve("node_modules/.bin"));
        Files.createSymbolicLink(shop.resolve("node_modules/.bin/next"), Path.of("../next/bin/next.js"));
        write("lib/node_modules/pm2/package.json", "{\"name\": \"pm2\"}");
        write("lib/node_modules/pm2/bin/pm2", "");
        write("other/package.json", "{\"name\": \"other\"}");
        write("other/pre.js", "");
        write("damaged/package.json", "{\"name\": \"dam");
        write("damaged/inner/a.js", "");
        write("plain/a.js", "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node server.js                                   | shop 1.2.0",
                "node server 8080                                 | shop 1.2.0",
                "node .                                           | shop 1.2.0",
                "node                                             | shop 1.2.0",
                "node --inspect --import ./dist/main.js server.js | shop 1.2.0",
                "node dist/main.js ../../other/pre.js             | shop 1.2.0",
                "node -e 1 ../../other/pre.js                     | shop 1.2.0",
                "node node_modules/.bin/next start                | shop 1.2.0",
                "node ../../lib/node_modules/pm2/bin/pm2 start    | shop 1.2.0",
                "node ../../other/pre.js                          | other",
                "node --require dotenv/config server.js           | shop 1.2.0",
                "node --require ../../other/pre.js server.js      |",
                "node gone.js                                     |",
                "node ../../plain/a.js                            |",
                "node ../../damaged/inner/a.js                    |"
            })
    void theNearestPackageOfTheScriptIsTheApplication(String commandLine, String application) {
        assertThat(find(Long.MAX_VALUE - TimeUnit.DAYS.toNanos(1), List.of(commandLine.split(" ")))
                        .map(PackageJson::toString)
                        .orElse(null))
                .isEqualTo(application);
    }

    @Test
    void aVersionThatWasWrittenAfterTheProcessStartedIsNotItsOwn() {
        long aMinuteAgoNs = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - 60_000);

        assertThat(find(aMinuteAgoNs, List.of("node", "server.js"))).contains(new PackageJson("shop", ""));
    }

    @Test
    void whatIsNoFileOrLargeIsNotRead() throws Exception {
        Files.delete(shop.resolve("package.json"));
        assertThat(new ProcessBuilder("mkfifo", shop.resolve("package.json").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(find(Long.MAX_VALUE / 2, List.of("node", "server.js"))).isEmpty();

        Files.delete(shop.resolve("package.json"));
        write("srv/shop/package.json", SHOP + " ".repeat(1 << 20));
        assertThat(find(Long.MAX_VALUE / 2, List.of("node", "server.js"))).isEmpty();
    }

    private Optional<PackageJson> find(long startRealtimeNs, List<String> commandLine) {
        return new NodeApplication(TargetRoot.ours(), shop.toString(), startRealtimeNs).find(commandLine);
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
