package dev.probestream.convert.request.origin;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which function fetches what, of one capture. fetch reads its URL at the call, but may write the request later, when no function of
 * the application runs. A function is the caller of such a request if it is the only one that was ever seen to fetch from its path in the process. Bounded: the
 * {@value #LIMIT} latest paths.
 */
final class FetchCallers {
    static final int LIMIT = 1 << 12;

    private record Path(int pid, String target) {}

    private final Map<Path, Caller> byPath = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Path, Caller> eldest) {
            return size() > LIMIT;
        }
    };

    /** A function calls fetch with that URL, in the form that the URL standard gives it; {@link Caller#UNKNOWN} = some function. */
    void fetches(int pid, String url, Caller caller) {
        Path path = new Path(pid, target(url));
        Caller before = byPath.remove(path); // so that it becomes the youngest
        byPath.put(path, before == null || before.equals(caller) ? caller : Caller.UNKNOWN);
    }

    /** Who fetches from there; {@link Caller#UNKNOWN} if that is not known, or several do. */
    Caller of(int pid, String target) {
        return byPath.getOrDefault(new Path(pid, target), Caller.UNKNOWN);
    }

    /** "/a?b" of "http://host/a?b#c": what the first line of the request has. */
    private static String target(String url) {
        int host = url.indexOf("://") + "://".length();
        int path = url.indexOf('/', host);
        int fragment = url.indexOf('#');
        return path < 0 ? "" : url.substring(path, fragment < path ? url.length() : fragment);
    }
}
