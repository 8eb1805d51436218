package dev.probestream.cli.endtoend.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One of the applications in testdata/planted, each with one thing wrong, serving; beside it, in a process that is not
 * recorded, who sends it requests, its backend and its name server (client.js).
 */
final class PlantedApp implements AutoCloseable {
    /** Of the name server that the C library asks: it knows no other port than 53. */
    private static final String NAME_SERVER = "127.0.0.77";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String name;
    private final NodeFixture client;
    private final NodeFixture server;
    private final boolean isOwnClient;

    private PlantedApp(String name, NodeFixture client, NodeFixture server, boolean isOwnClient) {
        this.name = name;
        this.client = client;
        this.server = server;
        this.isOwnClient = isOwnClient;
    }

    /** Starts the application of this name (a script in testdata/planted/apps) in {@code folder}. */
    static PlantedApp start(String name, NodeBinary node, Path folder) throws IOException {
        Path scripts = copyScripts(folder.toRealPath());
        boolean asksLibraryC = name.equals("slow-lookup");
        List<String> command = new ArrayList<>();
        List<String> clientCommand = new ArrayList<>(
                List.of(node.path().toString(), scripts.resolve("client.js").toString()));
        if (asksLibraryC) {
            command.addAll(withNameServer(scripts));
            clientCommand.add(NAME_SERVER);
        }
        command.add(node.path().toString());
        command.addAll(List.of(scripts.resolve("server.js").toString(), name));
        NodeFixture client = NodeFixture.start(new ProcessBuilder(clientCommand));
        try {
            return new PlantedApp(name, client, server(command, client, scripts, Map.of()), true);
        } catch (IOException e) {
            client.close();
            throw e;
        }
    }

    /**
     * Starts another application, which has the same backend, name server and sender of requests; these end with the first one.
     *
     * @param environment more variables of the application's environment
     */
    PlantedApp another(String app, NodeBinary node, Path folder, Map<String, String> environment) throws IOException {
        Path scripts = copyScripts(folder.toRealPath());
        List<String> command =
                List.of(node.path().toString(), scripts.resolve("server.js").toString(), app);
        return new PlantedApp(app, client, server(command, client, scripts, environment), false);
    }

    private static NodeFixture server(
            List<String> command, NodeFixture client, Path scripts, Map<String, String> environment)
            throws IOException {
        JsonNode addresses = JSON.readTree(client.greeting());
        ProcessBuilder builder = new ProcessBuilder(command).directory(scripts.toFile());
        builder.environment()
                .putAll(Map.of(
                        "PLANTED_BACKEND",
                        addresses.path("backend").asText(),
                        "PLANTED_DNS",
                        addresses.path("dns").asText()));
        builder.environment().putAll(environment);
        return NodeFixture.start(builder);
    }

    String pid() {
        return server.pid();
    }

    /** Sends all of its load and waits for the answers: how many there were of each status. */
    JsonNode load() throws IOException {
        String port = JSON.readTree(server.greeting()).path("port").asText();
        return JSON.readTree(client.ask("load " + name + " " + port));
    }

    /** What the application knows that it did: counts by key, by what was counted. */
    JsonNode truth() throws IOException {
        return JSON.readTree(server.ask("truth"));
    }

    /** A command in whose mount namespace, its own, names are asked of our name server. */
    private static List<String> withNameServer(Path scripts) throws IOException {
        Path resolver = Files.writeString(
                scripts.resolve("resolv.conf"), "nameserver " + NAME_SERVER + "\noptions timeout:5\n");
        String mount = "mount --bind " + resolver + " /etc/resolv.conf && exec \"$@\"";
        return List.of("unshare", "--mount", "sh", "-c", mount, "sh");
    }

    private static Path copyScripts(Path folder) throws IOException {
        URL resource = Objects.requireNonNull(PlantedApp.class.getResource("/testdata/planted"));
        Path target = folder.resolve("app");
        if (Files.isDirectory(target)) {
            return target; // of an application that was started before
        }
        try (Stream<Path> files = Files.walk(Path.of(resource.toURI()))) {
            Path source = Path.of(resource.toURI());
            for (Path file : files.sorted().toList()) {
                Files.copy(
                        file, target.resolve(installed(source.relativize(file).toString())));
            }
        } catch (URISyntaxException e) {
            throw new IOException("the scripts are no files: " + resource, e);
        }
        return target;
    }

    /** Git ignores folders of this name. */
    private static String installed(String path) {
        return path.replaceFirst("^packages", "node_modules");
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (isOwnClient) {
            client.close();
        }
    }
}
