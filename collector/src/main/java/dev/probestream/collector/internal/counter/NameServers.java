package dev.probestream.collector.internal.counter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.collector.internal.process.TargetRoot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;

/** The name servers that the C library asks for a process: {@code nameserver} lines of its /etc/resolv.conf (resolv.conf(5)). */
final class NameServers {
    private static final String FILE = "/etc/resolv.conf";
    private static final int MAX_BYTES = 1 << 16;
    /** MAXNS of resolv.h: further ones are not asked. */
    private static final int MOST = 3;

    /** glibc's res_init.c: the word begins the line; blanks, or a comment, end the address. */
    private static final Pattern LINE = Pattern.compile("nameserver[ \\t]+([^ \\t;#]+).*");

    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}");
    /** Without the name of an interface behind it. */
    private static final Pattern IPV6_CHARACTERS = Pattern.compile("[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}");

    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9._-]{1,15}");

    private NameServers() {}

    /**
     * Reads those of a process, in their order.
     *
     * @param root its file system
     * @throws IOException if there is no such file, or it cannot be read
     */
    static List<String> read(TargetRoot root) throws IOException {
        return parse(new String(root.read(FILE, MAX_BYTES), UTF_8));
    }

    /** Lines without a valid address are ignored, as by the C library. */
    static List<String> parse(String file) {
        return file.lines()
                .map(LINE::matcher)
                .filter(line -> line.matches())
                .map(line -> line.group(1))
                .filter(NameServers::isAddress)
                .limit(MOST)
                .toList();
    }

    private static boolean isAddress(String text) {
        if (IPV4.matcher(text).matches()) {
            return true;
        }
        String[] parts = text.split("%", 2);
        if (!text.contains(":")
                || !IPV6_CHARACTERS.matcher(parts[0]).matches()
                || (parts.length > 1 && !INTERFACE.matcher(parts[1]).matches())) {
            return false;
        }
        try {
            // A text with a colon is not looked up: it is an address or wrong.
            return InetAddress.getByName(parts[0]).getAddress().length > 0;
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
