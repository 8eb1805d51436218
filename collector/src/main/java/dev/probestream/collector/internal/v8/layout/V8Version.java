package dev.probestream.collector.internal.v8.layout;

/**
 * The version of V8, as in {@code process.versions.v8}: 10.2 in Node 18, 11.3 in 20, 12.4 in 22, 13.6 in 24, 14.1 in
 * 25, 14.6 in 26.
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
