package dev.probestream.cli.terminal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** The version of this build, from the manifest of its jar. */
public final class Version implements IVersionProvider {
    /** Of the root command: {@code --version --verbose}. */
    public static final String VERBOSE_OPTION = "--verbose";

    @Spec
    private CommandSpec spec;

    /** For example {@code 0.1.0}; {@code development} when run from class folders. */
    public static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** What {@code --version} prints. */
    public static String text() {
        return firstLine() + System.lineSeparator() + javaLine() + System.lineSeparator();
    }

    private static String firstLine() {
        return "probestream " + current();
    }

    private static String javaLine() {
        // As Runtime.version() prints it, whose streams cost a tenth of the start.
        return "Java " + System.getProperty("java.runtime.version");
    }

    @Override
    public String[] getVersion() {
        List<String> lines = new ArrayList<>(List.of(firstLine()));
        OptionSpec verbose = spec.root().findOption(VERBOSE_OPTION);
        if (verbose != null && Boolean.TRUE.equals(verbose.getValue())) {
            lines.addAll(new VersionDetails(Path.of("/")).lines());
        } else {
            lines.add(javaLine());
        }
        // picocli takes each line for a format.
        return lines.stream().map(line -> line.replace("%", "%%")).toArray(String[]::new);
    }
}
