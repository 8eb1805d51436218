package dev.probestream.convert.request;

import dev.probestream.convert.route.Route;

/**
 * What is known of a request beside its times and its connection. Texts that are unknown, or that the protocol does not have, are "".
 *
 * @param protocol "http", "http2", "websocket", "postgresql", "mysql", "redis", "tcp", "unix", "dns"
 * @param operation what was asked for, few of a kind: "GET /items/:id" (HTTP: method and {@link Route}), "SELECT users", "GET"
 * @param statement of a database, masked
 * @param rows of the answer; -1 = unknown
 * @param reply the kind of the answer, in the words of the protocol
 * @param errorCode in the words of the protocol or the system: "42P01", "ECONNREFUSED"
 * @param peerName the host name that was looked up for the connection
 * @param caller the JavaScript function that ordered it: "fetchPrice (lib/feed.js:12)"
 * @param callerPackage the NAME of node_modules/NAME that the caller called, or is in; "" = the application called
 * @param waitedNs how long it waited for a free connection; -1 = unknown
 * @param traceId of the OpenTelemetry span in whose context it was asked for
 * @param spanId of the same span
 * @param database to which it is a statement: "PostgreSQL"
 */
public record RequestDetails(
        String protocol,
        String operation,
        String statement,
        long rows,
        String reply,
        String errorCode,
        String peerName,
        String caller,
        String callerPackage,
        long waitedNs,
        String traceId,
        String spanId,
        String database) {
    /** Nothing is known. */
    public static final RequestDetails EMPTY = new RequestDetails("", "", "", -1, "", "", "", "", "", -1, "", "", "");

    /** An operation of that protocol. */
    RequestDetails of(String newProtocol, String newOperation) {
        return new RequestDetails(
                newProtocol,
                newOperation,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                caller,
                callerPackage,
                waitedNs,
                traceId,
                spanId,
                database);
    }

    /** The same as an HTTP request, unless it has an operation already. */
    RequestDetails ofHttp(String method, CharSequence url) {
        if (!operation.isEmpty()) {
            return this;
        }
        String route = Route.of(url.toString());
        String separator = method.isEmpty() || route.isEmpty() ? "" : " ";
        return of(protocol.isEmpty() ? "http" : protocol, method + separator + route);
    }

    RequestDetails ofDatabase(String newDatabase) {
        return new RequestDetails(
                protocol,
                operation,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                caller,
                callerPackage,
                waitedNs,
                traceId,
                spanId,
                newDatabase);
    }

    /** A statement to a database, and what it was answered. */
    RequestDetails answered(String newStatement, long newRows, String newReply, String newErrorCode) {
        return new RequestDetails(
                protocol,
                operation,
                newStatement,
                newRows,
                newReply,
                newErrorCode,
                peerName,
                caller,
                callerPackage,
                waitedNs,
                traceId,
                spanId,
                database);
    }

    RequestDetails replied(String newReply, String newErrorCode) {
        return answered(statement, rows, newReply, newErrorCode);
    }

    RequestDetails failed(String newErrorCode) {
        return answered(statement, rows, reply, newErrorCode);
    }

    /** The host has that name, if it is known. */
    RequestDetails to(String newPeerName) {
        if (newPeerName.isEmpty()) {
            return this;
        }
        return new RequestDetails(
                protocol,
                operation,
                statement,
                rows,
                reply,
                errorCode,
                newPeerName,
                caller,
                callerPackage,
                waitedNs,
                traceId,
                spanId,
                database);
    }

    RequestDetails calledBy(String newCaller, String newCallerPackage) {
        return new RequestDetails(
                protocol,
                operation,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                newCaller,
                newCallerPackage,
                waitedNs,
                traceId,
                spanId,
                database);
    }

    RequestDetails waited(long newWaitedNs) {
        return new RequestDetails(
                protocol,
                operation,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                caller,
                callerPackage,
                newWaitedNs,
                traceId,
                spanId,
                database);
    }

    RequestDetails tracedAs(String newTraceId, String newSpanId) {
        return new RequestDetails(
                protocol,
                operation,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                caller,
                callerPackage,
                waitedNs,
                newTraceId,
                newSpanId,
                database);
    }
}
