package dev.probestream.collector.probe;

/**
 * What the user asked to see unmasked.
 *
 * @param queries the values in the queries of URLs, and the literals of SQL
 * @param paths what looks like a token in the paths of URLs and in the names of files
 * @param arguments command lines and the arguments of programs that are started
 */
public record Disclosure(boolean queries, boolean paths, boolean arguments) {
    /** Nothing is shown: all that may be secret is masked. */
    public static final Disclosure NONE = new Disclosure(false, false, false);
}
