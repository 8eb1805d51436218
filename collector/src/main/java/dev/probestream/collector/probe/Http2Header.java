package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The headers of HTTP/2 that are read one by one. None of them is a secret; of the others none is read. */
public enum Http2Header {
    /** The method of a request. */
    METHOD(":method", 24),
    /** The status of an answer. */
    STATUS(":status", 3),
    /** How a call of gRPC ended, in the trailers of its answer or in its only headers. */
    GRPC_STATUS("grpc-status", 8);

    private final String headerName;
    private final int capacityBytes;

    Http2Header(String headerName, int capacityBytes) {
        this.headerName = headerName;
        this.capacityBytes = capacityBytes;
    }

    /** {@return its name, in lower case as on the wire} */
    public String headerName() {
        return headerName;
    }

    /** {@return how much of its value is recorded at most} */
    public int capacityBytes() {
        return capacityBytes;
    }

    /** {@return whether it stands before all others and there only once: nghttp2 refuses any other} */
    public boolean isPseudoHeader() {
        return headerName.startsWith(":");
    }

    /**
     * {@return the header that a spec spells so}
     *
     * @param word {@code method}, {@code status} or {@code grpc_status}
     */
    public static Optional<Http2Header> ofSpelling(String word) {
        return Arrays.stream(values())
                .filter(header -> header.name().toLowerCase(Locale.ROOT).equals(word))
                .findFirst();
    }
}
