package dev.probestream.query.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A headless Chromium in a folder of its own. Where there is none, the test is skipped; with CI=true it fails, since a
 * skipped test proves nothing.
 */
public final class Chromium implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("was started successfully on port (\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> ARGUMENTS = List.of(
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--force-device-scale-factor=1");

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Process driver;
    private final String session;

    private Chromium(Process driver, Path executable, Path profile) throws IOException, InterruptedException {
        this.driver = driver;
        String address = "http://127.0.0.1:" + port(driver);
        List<String> arguments = new ArrayList<>(ARGUMENTS);
        arguments.add("--user-data-dir=" + profile);
        Map<String, Object> options = Map.of("binary", executable.toString(), "args", arguments);
        Map<String, Object> wanted =
                Map.of("goog:chromeOptions", options, "goog:loggingPrefs", Map.of("browser", "ALL"));
        JsonNode created =
                send("POST", URI.create(address + "/session"), Map.of("capabilities", Map.of("alwaysMatch", wanted)));
        this.session = address + "/session/" + created.path("sessionId").asText();
    }

    /** Starts one, with its profile in {@code folder}. */
    public static Chromium start(Path folder) throws IOException, InterruptedException {
        Optional<Path> executable = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<Path> chromedriver = onPath("chromedriver");
        assumeTrue(
                (executable.isPresent() && chromedriver.isPresent()) || "true".equals(System.getenv("CI")),
                "needs chromium and chromedriver on the PATH (packages chromium and chromium-driver)");
        Process driver = new ProcessBuilder(chromedriver.orElseThrow().toString(), "--port=0")
                .redirectErrorStream(true)
                .start();
        try {
            return new Chromium(driver, executable.orElseThrow(), folder);
        } catch (IOException | InterruptedException | RuntimeException e) {
            driver.destroy();
            throw e;
        }
    }

    private static Optional<Path> onPath(String... names) {
        return Stream.of(names)
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int port(Process driver) throws IOException {
        BufferedReader out = driver.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher matcher = PORT.matcher(line);
            if (matcher.find()) {
                return Integer.parseInt(matcher.group(1));
            }
        }
        throw new IOException("chromedriver ended without naming its port");
    }

    /** Opens an address and waits until it is loaded. */
    public void open(URI address) throws IOException, InterruptedException {
        command("POST", "/url", Map.of("url", address.toString()));
    }

    /** Runs the body of a function in the page and gives what it returned; of a promise what became of it. */
    public JsonNode run(String script) throws IOException, InterruptedException {
        return command("POST", "/execute/sync", Map.of("script", script, "args", List.of()));
    }

    /** Clicks as a person does; a page can distinguish it from {@code element.click()}: it may open a window then. */
    public void click(String selector) throws IOException, InterruptedException {
        JsonNode found = command("POST", "/element", Map.of("using", "css selector", "value", selector));
        String element = found.elements().next().asText();
        command("POST", "/element/" + element + "/click", Map.of());
    }

    /** Drags the mouse along a line of the window, in CSS pixels. */
    public void drag(double fromX, double toX, double y) throws IOException, InterruptedException {
        mouse("mouseMoved", fromX, y, 0);
        mouse("mousePressed", fromX, y, 1);
        mouse("mouseMoved", (fromX + toX) / 2, y, 1);
        mouse("mouseMoved", toX, y, 1);
        mouse("mouseReleased", toX, y, 0);
    }

    private void mouse(String type, double x, double y, int buttons) throws IOException, InterruptedException {
        devTools(
                "Input.dispatchMouseEvent",
                Map.of("type", type, "x", x, "y", y, "button", "left", "buttons", buttons, "clickCount", 1));
    }

    /** Makes the page so many CSS pixels wide and high, whatever a window may be. */
    public void size(int width, int height) throws IOException, InterruptedException {
        devTools(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** What the system is said to prefer: light or dark. */
    public void colours(String scheme) throws IOException, InterruptedException {
        Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", scheme);
        devTools("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
    }

    /** A command of the DevTools protocol. */
    public JsonNode devTools(String method, Map<String, Object> parameters) throws IOException, InterruptedException {
        return command("POST", "/goog/cdp/execute", Map.of("cmd", method, "params", parameters));
    }

    /** What the console said since it was asked last: errors of scripts, refusals of the security policy and of CORS. */
    public List<String> console() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JsonNode entry : command("POST", "/se/log", Map.of("type", "browser"))) {
            lines.add(entry.path("level").asText() + " " + entry.path("message").asText());
        }
        return lines;
    }

    /** Keeps what is to be seen now as a PNG. */
    public Path screenshot(Path file) throws IOException, InterruptedException {
        Files.createDirectories(file.toAbsolutePath().resolveSibling(""));
        String image = command("GET", "/screenshot", null).asText();
        return Files.write(file, Base64.getDecoder().decode(image));
    }

    private JsonNode command(String method, String path, @Nullable Object body)
            throws IOException, InterruptedException {
        return send(method, URI.create(session + path), body);
    }

    private JsonNode send(String method, URI address, @Nullable Object body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(PATIENCE)
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
                .build();
        HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        JsonNode value = json.readTree(response.body()).path("value");
        if (response.statusCode() != 200) {
            throw new IOException(
                    method + " " + address + ": " + value.path("message").asText());
        }
        return value;
    }

    /** Ends the browser, then its driver. */
    @Override
    public void close() throws IOException {
        try {
            send("DELETE", URI.create(session), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            driver.destroy();
            driver.onExit().join();
        }
    }
}
