package dev.probestream.bpf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TcpSocketsTest {
    private static final int ALL_STATES = 0xffe;

    private record Listed(int state, long inode, long receiveQueue, long sendQueue, long drops) {}

    private static List<Listed> listed(int port) throws Exception {
        List<Listed> found = new ArrayList<>();
        try (TcpSockets sockets = TcpSockets.open((int) ProcessHandle.current().pid())) {
            sockets.list(ALL_STATES, (state, inode, receiveQueue, sendQueue, drops, address, ownPort) -> {
                if (ownPort == port) {
                    found.add(new Listed(state, inode, receiveQueue, sendQueue, drops));
                }
            });
        }
        return found;
    }

    @Test
    void aListeningSocketHasItsQueueAndLimit() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 7, InetAddress.getLoopbackAddress());
                Socket first = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket second = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();

            assertThat(listed(server.getLocalPort()))
                    .filteredOn(socket -> socket.state() == TcpSockets.LISTEN)
                    .singleElement()
                    .satisfies(socket -> {
                        assertThat(socket.receiveQueue()).isEqualTo(2);
                        assertThat(socket.sendQueue()).isEqualTo(7);
                        assertThat(socket.inode()).isPositive();
                        assertThat(socket.drops()).isZero();
                    });
        }
    }

    @Test
    void anEstablishedConnectionIsListedWithItsUnreadBytes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 7, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            accepted.getOutputStream().write(new byte[5]);

            assertThat(listed(client.getLocalPort())).singleElement().satisfies(socket -> {
                assertThat(socket.state()).isEqualTo(1);
                assertThat(socket.receiveQueue()).isEqualTo(5);
            });
        }
    }
}
