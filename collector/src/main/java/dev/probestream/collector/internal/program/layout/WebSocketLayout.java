package dev.probestream.collector.internal.program.layout;

import java.util.Arrays;
import java.util.Optional;

/**
 * What is kept in {@link MapNames#WEB_SOCKETS} of a WebSocket connection. When it is closed this is its sample in the ring; what is
 * open at the end is read from the map.
 *
 * <pre>
 * offset  size  field (struct web_socket in src/main/bpf/stream.h)
 *      0        as {@link EventLayout}: when the connection was upgraded, and the arguments of the probe that saw it
 *    256     8  isServer    1 if this end has answered with 101, 0 if it was answered so
 *    264     8  isUpgraded  1 once the answer has shown that it is WebSocket
 *    272    96  the frames that are sent, each direction
 *                 0     8  bytes         of frames, with their headers
 *                 8     8  messages      whose last frame began
 *                16     8  ahead         how many bytes come until the next header begins
 *                24     8  headerBytes   how many bytes of a header are known that has begun
 *                32     8  isWithin      1 between the frames of a message
 *                40     8  isLost        1 once it is not known where the next frame begins: nothing is counted from there on
 *                48     8  isMasked      1 if its frames are masked, 0 if not (RFC 6455: a client's are)
 *                56    32  header        the bytes that are known of it
 *                88     8  unused
 *    368    96  the frames that are received
 *    464        what the program needs while it follows frames:
 *               u64 position, length (of the buffer), address, nextBuffer, buffersLeft, taken, known
 *    520     8  isTls       1 if the frames are those above TLS
 *    528     8  stream      its address
 * </pre>
 */
public final class WebSocketLayout {
    /** The arguments of the probes lie before. */
    public static final int IS_SERVER_OFFSET = 256;

    public static final int SENT_OFFSET = 272;
    public static final int RECEIVED_OFFSET = 368;

    public static final int BYTES_OFFSET = 0;
    public static final int MESSAGES_OFFSET = 8;
    public static final int IS_LOST_OFFSET = 40;
    public static final int IS_MASKED_OFFSET = 48;

    public static final int IS_TLS_OFFSET = 520;
    public static final int STREAM_OFFSET = 528;
    public static final int SIZE_BYTES = 536;

    /** What the map has room for. */
    public static final int MAX_CONNECTIONS = 16_384;

    /** Whose probes' hits are bytes of WebSocket connections; each has the arguments of {@link StreamBytesLayout.Role}. */
    public enum Role {
        WRITE("websocket.write"),
        READ("websocket.read"),
        CLOSE("websocket.close");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /** The role of a probe that is called so. */
        public static Optional<Role> of(String word) {
            return Arrays.stream(values())
                    .filter(role -> role.word.equals(word))
                    .findFirst();
        }
    }

    private WebSocketLayout() {}
}
