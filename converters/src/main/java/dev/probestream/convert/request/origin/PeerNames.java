package dev.probestream.convert.request.origin;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The host names that led to addresses, by process. A name holds for connections that are made to its address within {@value
 * #HELD_NS} ns; where several names led to one address, the latest counts. Bounded: the {@value #LIMIT} latest.
 */
public final class PeerNames {
    /** As caches of names in applications keep them, at most. */
    static final long HELD_NS = 600_000_000_000L;

    static final int LIMIT = 1 << 12;

    private record Place(int pid, String address) {}

    private record Name(String host, long foundNs) {}

    private final Map<Place, Name> byPlace = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, Name> eldest) {
            return size() > LIMIT;
        }
    };

    /** A process looked {@code host} up and got that address, which may have a port. */
    public void found(int pid, String host, String address, long nowNs) {
        String found = withoutPort(address);
        if (!host.isEmpty() && !found.isEmpty() && !found.equals(host)) {
            Place place = new Place(pid, found);
            byPlace.remove(place); // so that it becomes the youngest
            byPlace.put(place, new Name(host, nowNs));
        }
    }

    /** The name of the host that the process connects to; "" = none was looked up. */
    public String of(int pid, String remote, long nowNs) {
        Name name = byPlace.get(new Place(pid, withoutPort(remote)));
        return name == null || nowNs - name.foundNs > HELD_NS ? "" : name.host;
    }

    /** "10.0.0.7:443", "[::1]:443"; "10.0.0.7" and "::1" have none. */
    private static String withoutPort(String address) {
        int colon = address.lastIndexOf(':');
        boolean hasPort = address.startsWith("[") || colon == address.indexOf(':');
        String host = colon < 0 || !hasPort ? address : address.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
