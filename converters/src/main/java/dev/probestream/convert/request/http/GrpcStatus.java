package dev.probestream.convert.request.http;

import java.util.List;

/** What the numbers in {@code grpc-status} are called ("Status codes and their use in gRPC", doc/statuscodes.md of grpc/grpc). */
public final class GrpcStatus {
    private static final String OK = "OK";

    /** The place in the list is the number. */
    private static final List<String> NAMES = List.of(
            OK,
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");

    private GrpcStatus() {}

    /** {@return the name of a status; the number itself if it has none} */
    public static String name(String number) {
        int place = NAMES.size();
        if (number.length() == 1 || number.length() == 2) {
            place = Integer.parseInt(number);
        }
        return place < NAMES.size() ? NAMES.get(place) : number;
    }

    /** Whether it is the name of success. */
    public static boolean isOk(String name) {
        return name.equals(OK);
    }
}
