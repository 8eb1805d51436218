package dev.probestream.collector.internal.protocol.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.probe.Disclosure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements without an answer, on connections that were open before the recording. */
class ConnectionsTest {
    private static final byte[] GET = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n".getBytes(US_ASCII);
    private static final byte[] REPLY = "$1\r\ny\r\n".getBytes(US_ASCII);
    private static final Endpoint REDIS = new Endpoint(1, 0x1000, 0, "10.0.0.3:6379");

    private final List<String> seen = new ArrayList<>();
    private final Connections connections =
            new Connections(new DatabaseProtocols(Disclosure.NONE), 1024, new Connections.Listener() {
                @Override
                public void answered(Endpoint endpoint, DatabaseProtocol protocol, Statement statement, Moment end) {
                    seen.add("answered " + statement.text());
                }

                @Override
                public void unmatched(Endpoint endpoint, DatabaseProtocol protocol, Statement statement) {
                    seen.add("unmatched " + statement.text() + " of "
                            + statement.written().batch().statements());
                }

                @Override
                public void open(Endpoint endpoint, DatabaseProtocol protocol, Statement statement) {
                    seen.add("open " + statement.text());
                }

                @Override
                public void foreign(Endpoint endpoint) {
                    seen.add("foreign");
                }
            });
    private long sequence = 1;

    @Test
    void theyArePassedOnWhenAllOfTheirWriteAreKnownAndTheServerHasAnswered() {
        write(GET, GET);
        assertThat(seen).isEmpty();
        read();
        assertThat(seen).containsExactly("unmatched GET a of 2", "unmatched GET a of 2");
        write(GET);
        assertThat(seen).hasSize(3).endsWith("unmatched GET a of 1");
        connections.interrupt();
        assertThat(seen).hasSize(3);
        assertThat(connections.unmatched()).isEqualTo(3);
        assertThat(connections.undecoded()).isZero();
    }

    @Test
    void thoseOfAConnectionThatMayBeNoDatabasesAreCounted() {
        for (int i = 0; i < 100; i++) {
            write(GET);
        }
        connections.written(REDIS, sequence + 1, moment(), buffers(GET)); // hits were lost
        connections.interrupt();

        assertThat(seen).isEmpty();
        assertThat(connections.unmatched()).isZero();
        assertThat(connections.undecoded()).isEqualTo(101);
    }

    @Test
    void aStreamThatBeginsAgainHasNoneOfThoseBefore() {
        write(GET);
        read();
        sequence = 0;
        write(GET);
        connections.interrupt();

        assertThat(seen).containsExactly("unmatched GET a of 1");
        assertThat(connections.undecoded()).isEqualTo(1);
    }

    private void write(byte[]... all) {
        connections.written(REDIS, ++sequence, moment(), buffers(all));
    }

    private void read() {
        connections.read(REDIS, ++sequence, moment(), REPLY, REPLY.length, REPLY.length, new byte[0], false);
    }

    private Moment moment() {
        return new Moment(1000 * sequence, 1, 0, Moment.Context.NONE);
    }

    private static Connections.Written buffers(byte[]... all) {
        return new Connections.Written() {
            private int next;

            @Override
            public int next(byte[] into) {
                if (next == all.length) {
                    return -1;
                }
                System.arraycopy(all[next], 0, into, 0, all[next].length);
                return all[next++].length;
            }

            @Override
            public long sizeBytes() {
                return all[next - 1].length;
            }

            @Override
            public boolean isMore() {
                return false;
            }
        };
    }
}
