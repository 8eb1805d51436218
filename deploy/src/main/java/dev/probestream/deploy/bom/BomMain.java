package dev.probestream.deploy.bom;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Completes the bill of materials that Maven wrote: {@code BomMain BOM TREE}, of which TREE is what is installed. */
public final class BomMain {
    private static final ObjectMapper JSON = new ObjectMapper();

    private BomMain() {}

    public static void main(String[] args) throws IOException {
        Path bom = Path.of(args[0]);
        ObjectNode root = (ObjectNode) JSON.readTree(Files.readString(bom));
        String difference = difference(root, Path.of(args[1]));
        if (!difference.isEmpty()) {
            System.err.println("compare " + bom + " with the jars in " + args[1] + ": " + difference);
            System.exit(1);
        }
        addRuntime(
                root,
                Files.readString(Path.of(args[1], "runtime", "debian-version")).strip());
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer =
                new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter);
        Files.writeString(bom, JSON.writer(printer).writeValueAsString(root) + "\n");
    }

    /** The jars that only one of the two names, or "". */
    static String difference(JsonNode bom, Path tree) throws IOException {
        Set<String> named = new TreeSet<>();
        for (JsonNode component : bom.path("components")) {
            String purl = component.path("purl").asText();
            if (purl.startsWith("pkg:maven/")) {
                named.add(component.path("name").asText() + "-"
                        + component.path("version").asText()
                        + (purl.contains("classifier=native") ? "-native" : "")
                        + ".jar");
            }
        }
        Set<String> shipped;
        try (Stream<Path> files = Files.walk(tree)) {
            shipped = files.map(Path::toString)
                    .map(file -> file.substring(file.lastIndexOf('/') + 1))
                    .filter(name -> name.endsWith(".jar") && !name.equals("probestream.jar"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        // Module cli is shipped under this name, beside lib.
        named.removeIf(name -> name.startsWith("probestream-cli-"));
        Set<String> onlyNamed = new TreeSet<>(named);
        onlyNamed.removeAll(shipped);
        Set<String> onlyShipped = new TreeSet<>(shipped);
        onlyShipped.removeAll(named);
        return (onlyNamed.isEmpty() ? "" : "not shipped: " + String.join(", ", onlyNamed) + ". ")
                + (onlyShipped.isEmpty() ? "" : "not named: " + String.join(", ", onlyShipped) + ".");
    }

    /** Adds the Java runtime, which comes from Debian. Once, however often this is called. */
    static void addRuntime(ObjectNode bom, String version) {
        String purl = "pkg:deb/debian/openjdk-17@" + version.replace("+", "%2B").replace("~", "%7E");
        ArrayNode components = (ArrayNode) bom.path("components");
        for (JsonNode component : components) {
            if (component.path("bom-ref").asText().equals(purl)) {
                return;
            }
        }
        ObjectNode runtime = components.addObject();
        runtime.put("type", "platform").put("bom-ref", purl).put("name", "openjdk-17");
        runtime.put("version", version);
        runtime.put(
                "description",
                "The Java runtime: modules of Debian's openjdk-17-jdk-headless, linked by jlink, otherwise unchanged");
        runtime.put("scope", "required");
        runtime.putArray("licenses").addObject().put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        runtime.put("purl", purl);
        String self = bom.path("metadata").path("component").path("bom-ref").asText();
        for (JsonNode dependency : bom.path("dependencies")) {
            if (dependency.path("ref").asText().equals(self)) {
                ((ObjectNode) dependency).withArray("dependsOn").add(purl);
            }
        }
        ((ArrayNode) bom.path("dependencies")).addObject().put("ref", purl).putArray("dependsOn");
    }
}
