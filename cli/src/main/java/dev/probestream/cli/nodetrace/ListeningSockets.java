package dev.probestream.cli.nodetrace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The TCP ports on which a process listens: the sockets among its descriptors, found in /proc/PID/net/tcp (proc(5)). */
final class ListeningSockets {
    private static final String SOCKET = "socket:[";
    private static final String LISTEN = "0A"; // TCP_LISTEN, include/net/tcp_states.h
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningSockets() {}

    /** The ports of this process. */
    static Set<Integer> ports(int pid) throws IOException {
        Set<String> own = inodes(pid);
        Set<Integer> ports = new TreeSet<>();
        for (String[] columns : listening(pid)) {
            if (own.contains(columns[INODE])) {
                ports.add(port(columns));
            }
        }
        return ports;
    }

    /** Whether a process in its network namespace listens on that port. */
    static boolean isTaken(int pid, int port) throws IOException {
        return listening(pid).stream().anyMatch(columns -> port(columns) == port);
    }

    private static List<String[]> listening(int pid) throws IOException {
        Path net = NodeProcess.folder(pid).resolve("net");
        Stream<String> lines = Files.readAllLines(net.resolve("tcp")).stream();
        Path six = net.resolve("tcp6");
        if (Files.exists(six)) {
            lines = Stream.concat(lines, Files.readAllLines(six).stream());
        }
        return lines.map(line -> line.strip().split("\\s+"))
                .filter(columns -> columns.length > INODE && columns[STATE].equals(LISTEN))
                .toList();
    }

    private static int port(String[] columns) {
        String address = columns[LOCAL_ADDRESS];
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }

    private static Set<String> inodes(int pid) throws IOException {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(NodeProcess.folder(pid).resolve("fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String target;
                try {
                    target = Files.readSymbolicLink(descriptor).toString();
                } catch (IOException e) {
                    continue; // closed meanwhile
                }
                if (target.startsWith(SOCKET)) {
                    inodes.add(target.substring(SOCKET.length(), target.length() - 1));
                }
            }
        }
        return inodes;
    }
}
