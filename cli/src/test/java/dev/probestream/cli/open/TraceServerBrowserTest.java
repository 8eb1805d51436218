package dev.probestream.cli.open;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.probestream.query.browser.Chromium;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real browser asks for the trace: from a page of the viewer's origin, of another one, and of ours. */
class TraceServerBrowserTest {
    private static final String CONTENT = "not really a trace";

    /** Answers as the viewer does: a window that says PONG and shows what it is handed. */
    private static final String STANDING_IN_FOR_THE_VIEWER = """
            <!DOCTYPE html><title>viewer</title><script>
            addEventListener('message', async event => {
              if (event.data === 'PING') { event.source.postMessage('PONG', event.origin); return; }
              const {buffer, title} = event.data.perfetto;
              localStorage.setItem('handed', title + ': ' + new TextDecoder().decode(buffer));
            });
            </script>
            """;

    @TempDir
    private Path folder;

    @Test
    void onlyTheViewersPageReadsTheTrace() throws Exception {
        Path file = Files.writeString(folder.resolve("trace.pftrace"), CONTENT);
        HttpServer pages = pages();
        String viewer = "http://localhost:" + pages.getAddress().getPort();
        String stranger = "http://127.0.0.1:" + pages.getAddress().getPort();
        try (TraceServer server = TraceServer.start(file, 0, viewer);
                Chromium browser = Chromium.start(folder.resolve("profile"))) {
            browser.open(URI.create(viewer));
            assertThat(fetch(browser, server)).isEqualTo(CONTENT);
            assertThat(browser.console()).noneMatch(line -> line.contains("CORS"));

            browser.open(URI.create(stranger));
            assertThat(fetch(browser, server)).isEqualTo("TypeError: Failed to fetch");
            assertThat(browser.console()).anyMatch(line -> line.contains("blocked by CORS policy"));

            handOver(browser, server, viewer);
        } finally {
            pages.stop(0);
        }
    }

    private static String fetch(Chromium browser, TraceServer server) throws IOException, InterruptedException {
        return browser.run("return fetch('" + server.fileAddress()
                        + "').then(answer => answer.text()).catch(problem => String(problem))")
                .asText();
    }

    private static void handOver(Chromium browser, TraceServer server, String viewer)
            throws IOException, InterruptedException {
        browser.open(server.address());
        browser.console();
        browser.click("#open");
        assertThat(browser.run("""
                                return new Promise(done => {
                                  const says = document.getElementById('says');
                                  const look = () => says.textContent === 'The viewer has the trace.' && done('handed over');
                                  new MutationObserver(look).observe(says, {childList: true});
                                  look();
                                })
                                """).asText()).isEqualTo("handed over");
        List<String> console = browser.console();
        browser.open(URI.create(viewer));
        assertThat(browser.run("return localStorage.getItem('handed')").asText())
                .isEqualTo("trace.pftrace: " + CONTENT);
        assertThat(console).isEmpty();
    }

    private static HttpServer pages() throws IOException {
        HttpServer pages =
                HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
        byte[] page = STANDING_IN_FOR_THE_VIEWER.getBytes(StandardCharsets.UTF_8);
        pages.createContext("/", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
            }
        });
        pages.start();
        return pages;
    }
}
