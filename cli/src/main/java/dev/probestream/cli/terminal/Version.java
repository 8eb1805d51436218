package dev.probestream.cli.terminal;

import picocli.CommandLine.IVersionProvider;

/** The version of this build, from the manifest of its jar. */
public final class Version implements IVersionProvider {
    /** For example {@code 0.1.0}; {@code development} when run from class folders. */
    public static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"probestream " + current(), "Java " + Runtime.version()};
    }
}
