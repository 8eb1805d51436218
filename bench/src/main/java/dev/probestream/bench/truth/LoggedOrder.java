package dev.probestream.bench.truth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a handler ordered, as the application logged it.
 *
 * @param application its title
 * @param request the URL of the request that the handler serves
 * @param kind statement, file or outgoing
 * @param name in the statement, path or URL, there only
 * @param atNs when (CLOCK_MONOTONIC); 0 = not logged
 */
record LoggedOrder(String application, String request, String kind, String name, long atNs) {
    /** The log of server.js. */
    static List<LoggedOrder> read(String framework, Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .map(cell -> new LoggedOrder(
                        framework + "/" + cell[0],
                        cell[1],
                        cell[2],
                        cell[3],
                        cell[4].isEmpty() ? 0 : Long.parseLong(cell[4])))
                .toList();
    }
}
