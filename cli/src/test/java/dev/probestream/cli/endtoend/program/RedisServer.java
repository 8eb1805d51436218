package dev.probestream.cli.endtoend.program;

import dev.probestream.cli.endtoend.fixture.InstalledProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A Redis server of the machine's package, on a socket in a folder, that keeps nothing. */
final class RedisServer implements AutoCloseable {
    private final Process process;
    private final Path socket;

    private RedisServer(Process process, Path socket) {
        this.process = process;
        this.socket = socket;
    }

    /** Starts it and waits until it can be connected to. */
    static RedisServer start(Path folder) throws IOException {
        Path socket = folder.resolve("redis.sock");
        Process process = new ProcessBuilder(
                        InstalledProgram.inPath("redis-server").toString(),
                        "--port",
                        "0",
                        "--unixsocket",
                        socket.toString(),
                        "--dir",
                        folder.toString(),
                        "--save",
                        "",
                        "--daemonize",
                        "no")
                .redirectErrorStream(true)
                .start();
        RedisServer server = new RedisServer(process, socket);
        server.await("eady to accept connections");
        return server;
    }

    private void await(String text) throws IOException {
        StringBuilder said = new StringBuilder();
        // It may write on later: the pipe holds far more than it has to say.
        BufferedReader log = process.inputReader(StandardCharsets.UTF_8);
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            said.append(line).append('\n');
            if (line.contains(text)) {
                return;
            }
        }
        throw new IOException("redis-server ended: " + said);
    }

    String pid() {
        return String.valueOf(process.pid());
    }

    Connection connect() throws IOException {
        return new Connection(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** A client that speaks RESP, Redis' protocol. */
    static final class Connection implements AutoCloseable {
        private final SocketChannel channel;
        private final BufferedReader replies;

        private Connection(SocketChannel channel) {
            this.channel = channel;
            this.replies = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        }

        /** Sends a command and waits for its reply, which must be of one line: a status, an error, a number or a text. */
        String ask(String... words) throws IOException {
            StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
            for (String word : words) {
                request.append('$')
                        .append(word.getBytes(StandardCharsets.UTF_8).length)
                        .append("\r\n")
                        .append(word)
                        .append("\r\n");
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(request.toString());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            String reply = replies.readLine();
            return reply.startsWith("$") && !reply.equals("$-1") ? replies.readLine() : reply;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
