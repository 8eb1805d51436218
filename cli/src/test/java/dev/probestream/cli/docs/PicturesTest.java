package dev.probestream.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.query.browser.Chromium;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Makes the pictures of the README from a recording of a Node server: its timeline in Chrome's trace viewer, which comes with
 * the sources of Go (package {@code golang-src}), and its report. They are written to {@code target/pictures}; with
 * {@code -Dpictures=write} also to {@code docs/images}.
 */
@KernelTest(since = "5.8")
@Tag("deep")
class PicturesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PICTURES = Path.of("target", "pictures");
    private static final int MAX_BYTES = 300_000;
    private static final Duration LOADING_LIMIT = Duration.ofMinutes(2);

    @TempDir
    private Path temporary;

    @Test
    void theTimelineAndTheReportOfARecordingAreShown() throws Exception {
        Path viewer = viewerFolder().orElse(null);
        assumeTrue(viewer != null || "true".equals(System.getenv("CI")), "needs the sources of Go (package golang-go)");
        Objects.requireNonNull(viewer, "no trace_viewer_full.html in GOROOT");
        Path folder = Files.createDirectory(temporary.resolve("shop"));
        Files.write(folder.resolve("server.js"), resource("pictures.js"));
        command(folder, "record", "--probes", "incident", "-o", "node.avro", "--", "node", "server.js");
        command(folder, "convert", "node.avro", "--from", "2s", "--to", "2060ms", "-o", "trace.json");
        command(folder, "report", "node.avro", "-o", "report.html");

        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, Path> files = Map.of(
                "/trace_viewer_full.html", viewer.resolve("trace_viewer_full.html"),
                "/webcomponents.min.js", viewer.resolve("webcomponents.min.js"),
                "/trace.json", folder.resolve("trace.json"),
                "/report.html", folder.resolve("report.html"),
                "/", Files.write(folder.resolve("timeline.html"), resource("timeline.html")));
        server.createContext("/", exchange -> {
            byte[] content = Files.readAllBytes(
                    files.getOrDefault(exchange.getRequestURI().getPath(), files.get("/")));
            String type = exchange.getRequestURI().getPath().endsWith(".js") ? "text/javascript" : "text/html";
            exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
        server.start();
        try (Chromium browser = Chromium.start(temporary.resolve("profile"))) {
            String address = "http://127.0.0.1:" + server.getAddress().getPort();
            browser.size(1280, 560);
            browser.open(URI.create(address + "/#40"));
            awaitLoaded(browser);
            check(browser.screenshot(PICTURES.resolve("timeline.png")));
            browser.size(1280, 640);
            browser.open(URI.create(address + "/report.html"));
            check(browser.screenshot(PICTURES.resolve("report.png")));
        } finally {
            server.stop(0);
        }
    }

    private static void command(Path folder, String... arguments) throws Exception {
        try (CommandRun run = CommandRun.start(List.of("env", "--chdir=" + folder.toRealPath()), List.of(arguments))) {
            assertThat(run.end())
                    .as(String.join(" ", arguments) + ": " + run.said())
                    .isZero();
        }
    }

    private static void awaitLoaded(Chromium browser) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(LOADING_LIMIT);
        String state = "loading";
        while (state.equals("loading") && Instant.now().isBefore(deadline)) {
            Thread.sleep(100);
            state = browser.run("return window.state").asText();
        }
        assertThat(state).isEqualTo("loaded");
    }

    /** A picture has more than a background, and is small enough for a repository. */
    private static void check(Path picture) throws IOException {
        BufferedImage image = ImageIO.read(picture.toFile());
        Set<Integer> colours = new HashSet<>();
        for (int y = 0; y < image.getHeight(); y += 3) {
            for (int x = 0; x < image.getWidth(); x += 3) {
                colours.add(image.getRGB(x, y));
            }
        }
        assertThat(colours).as("colours of " + picture).hasSizeGreaterThan(20);
        assertThat(Files.size(picture)).as("bytes of " + picture).isLessThan(MAX_BYTES);
        if ("write".equals(System.getProperty("pictures"))) {
            Files.write(ROOT.resolve("docs/images").resolve(picture.getFileName()), Files.readAllBytes(picture));
        }
    }

    private static Optional<Path> viewerFolder() throws IOException, InterruptedException {
        Process go;
        try {
            go = new ProcessBuilder("go", "env", "GOROOT").start();
        } catch (IOException e) {
            return Optional.empty();
        }
        Path root = Path.of(new String(go.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        go.waitFor();
        return Stream.of("src/cmd/trace/static", "src/internal/trace/traceviewer/static")
                .map(root::resolve)
                .filter(candidate -> Files.exists(candidate.resolve("trace_viewer_full.html")))
                .findFirst();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = PicturesTest.class.getResourceAsStream("/testdata/docs/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
