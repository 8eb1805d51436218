package dev.probestream.collector.internal.v8.layout;

/**
 * The version of V8, as in {@code process.versions.v8}; {@link KnownV8} has those that are known.
 */
public record V8Version(int major, int minor, int build, int patch) {
    /** Whether this is {@code major.minor} or later. */
    public boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || (major == otherMajor && minor >= otherMinor);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + build + "." + patch;
    }
}
