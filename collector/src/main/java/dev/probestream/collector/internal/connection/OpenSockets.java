package dev.probestream.collector.internal.connection;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.event.AddressText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sockets that a process has open, and their addresses, read once from /proc/PID/fd and the tables in /proc/PID/net,
 * which are those of the process's network namespace (proc(5)). A process that has exited, or that may not be looked at,
 * has none.
 */
final class OpenSockets {
    private static final String SOCKET = "socket:[";

    /** The columns of /proc/net/tcp and tcp6 (net/ipv4/tcp_ipv4.c, get_tcp4_sock). */
    private static final int LOCAL_COLUMN = 1;

    private static final int REMOTE_COLUMN = 2;
    private static final int TCP_STATE_COLUMN = 3;
    private static final int TCP_INODE_COLUMN = 9;

    /** TCP_LISTEN of net/tcp_states.h. */
    private static final String TCP_LISTENS = "0A";

    /** The columns of /proc/net/unix (net/unix/af_unix.c, unix_seq_show). */
    private static final int UNIX_STATE_COLUMN = 5;

    private static final int UNIX_INODE_COLUMN = 6;
    private static final int UNIX_PATH_COLUMN = 7;
    /** SS_CONNECTED of linux/net.h. */
    private static final String UNIX_CONNECTED = "03";

    private OpenSockets() {}

    /**
     * A connected socket.
     *
     * @param local the address of its own end, as in the recording
     * @param remote of the other end
     * @param isAccepted whether a socket listens at its own address; otherwise it is not known which side opened it
     */
    record Connected(String local, String remote, boolean isAccepted) {}

    /** The sockets of a process: the inode of each by the number of its descriptor. */
    static Map<Integer, Long> inodes(int pid) {
        Map<Integer, Long> inodes = new HashMap<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(ProcFile.of(pid, "fd"))) {
            for (Path descriptor : descriptors) {
                String target = link(descriptor);
                if (target.startsWith(SOCKET)) {
                    inodes.put(
                            Integer.valueOf(descriptor.getFileName().toString()),
                            Long.valueOf(target.substring(SOCKET.length(), target.length() - 1)));
                }
            }
        } catch (IOException e) {
            return new HashMap<>(); // it has exited, or only root may look
        }
        return inodes;
    }

    private static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    /**
     * The connected ones of these sockets, by inode. Of UNIX sockets those that a server accepted: what the others are
     * connected to is not in these tables.
     *
     * @param pid a process in their network namespace
     */
    static Map<Long, Connected> connected(int pid, Collection<Long> inodes) {
        Set<Long> wanted = new HashSet<>(inodes);
        Map<Long, Connected> found = new HashMap<>();
        if (!wanted.isEmpty()) {
            for (String table : List.of("net/tcp", "net/tcp6")) {
                Set<String> listening = new HashSet<>();
                readLines(ProcFile.of(pid, table), line -> addTcp(line, wanted, listening, found));
            }
            readLines(ProcFile.of(pid, "net/unix"), line -> addUnix(line, wanted, found));
        }
        return found;
    }

    private interface LineHandler {
        void line(String line);
    }

    private static void readLines(Path table, LineHandler handler) {
        try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.ISO_8859_1)) {
            lines.readLine(); // the names of the columns
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                handler.line(line);
            }
        } catch (IOException e) {
            // The process has exited, or this kernel has no such sockets.
        }
    }

    /** Sockets that listen come first in the table (net/ipv4/tcp_ipv4.c, tcp_seek_last_pos). */
    private static void addTcp(String line, Set<Long> wanted, Set<String> listening, Map<Long, Connected> found) {
        if (column(line, TCP_STATE_COLUMN).equals(TCP_LISTENS)) {
            listening.add(column(line, LOCAL_COLUMN));
            return;
        }
        long inode = Long.parseLong(column(line, TCP_INODE_COLUMN));
        if (wanted.contains(inode)) {
            String remote = column(line, REMOTE_COLUMN);
            if (!remote.endsWith(":0000")) {
                String local = column(line, LOCAL_COLUMN);
                boolean isAccepted = listening.contains(local) || listening.contains(ofEachAddress(local));
                found.put(inode, new Connected(internet(local), internet(remote), isAccepted));
            }
        }
    }

    /** A socket that listens at every address of the machine has 0 as its own. */
    private static String ofEachAddress(String column) {
        int colon = column.indexOf(':');
        return "0".repeat(colon) + column.substring(colon);
    }

    /** Columns are separated by spaces, of which there may be some before the first one. */
    private static String column(String line, int number) {
        int start = columnStart(line, number);
        int end = line.indexOf(' ', start);
        return line.substring(start, end < 0 ? line.length() : end);
    }

    private static int columnStart(String line, int number) {
        int at = 0;
        for (int column = 0; ; column++) {
            while (at < line.length() && line.charAt(at) == ' ') {
                at++;
            }
            if (column == number) {
                return at;
            }
            while (at < line.length() && line.charAt(at) != ' ') {
                at++;
            }
        }
    }

    /** {@code 0100007F:1F90}: words of 32 bits as this machine reads them from the network's bytes, then the port. */
    private static String internet(String column) {
        int colon = column.indexOf(':');
        ByteBuffer address = ByteBuffer.allocate(colon / 2).order(ByteOrder.nativeOrder());
        for (int i = 0; i < colon; i += 2 * Integer.BYTES) {
            address.putInt(Integer.parseUnsignedInt(column, i, i + 2 * Integer.BYTES, 16));
        }
        return AddressText.of(address.array(), Integer.parseInt(column, colon + 1, column.length(), 16));
    }

    private static void addUnix(String line, Set<Long> wanted, Map<Long, Connected> found) {
        // The rest of the line: a path may have spaces.
        String path = line.substring(columnStart(line, UNIX_PATH_COLUMN));
        if (path.isEmpty() || !column(line, UNIX_STATE_COLUMN).equals(UNIX_CONNECTED)) {
            return;
        }
        long inode = Long.parseLong(column(line, UNIX_INODE_COLUMN));
        if (wanted.contains(inode)) {
            found.put(inode, new Connected(path, AddressText.UNNAMED, true));
        }
    }
}
