package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.recording.RecordingException;
import java.nio.file.Path;
import java.util.Map;

/**
 * What is recorded of a server (process 100) that is asked three times: for a file, which it opens on the pool; for
 * nothing, while the first is under way; and for something whose answer had not begun when the capture ended. Times are
 * microseconds after the start.
 */
final class RequestRecording {
    private static final int STREAM_IO = 1;
    private static final int STREAM_READ = 3;
    private static final int HTTP_BEGIN = 4;
    private static final int HTTP_URL = 5;
    private static final int HTTP_HEADERS = 6;
    private static final int HTTP_END = 7;
    private static final int HTTP_LINE = 8;
    private static final int STREAM_WRITE = 9;
    private static final int POOL_SUBMIT = 10;
    private static final int POOL_WORK = 11;
    private static final int POOL_DONE = 12;
    private static final int LOOP_POLL = 13;
    private static final int LOOP_CALLBACK = 14;
    private static final int STREAM_CLOSE = 15;
    private static final int DB_STATEMENT = 16;

    private static final long LOOP = 0x1000;
    private static final long FILE_REQUEST = 0x7f10_0000_2000L;

    private final TestRecording recording;

    private RequestRecording(TestRecording recording) {
        this.recording = recording;
    }

    static Path write(Path file) throws RecordingException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            probes(recording);
            recording
                    .process(100, "node", START_NS - 1_000_000_000L, "node", "server.js")
                    .thread(100, 101, "libuv-worker")
                    .thread(100, 100, "node");
            new RequestRecording(recording).events();
            recording.end(START_NS + 1_000_000, 0);
        }
        return file;
    }

    /**
     * Two requests of one connection, in microseconds: the first is asked at 100, the second at 800 and answered at 900. The
     * sets were not watched from 200 to 600, so that the answer at 700 may be of any request.
     */
    static Path writeWithGap(Path file) throws RecordingException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            probes(recording);
            recording.thread(100, 100, "node");
            RequestRecording requests = new RequestRecording(recording);
            recording.on(100, 100);
            requests.asked(0xa00, 0xb00, "/before", 100);
            requests.handled(0xa00, 100, 110);
            recording.withNumbers(LOOP).openSpan(LOOP_POLL, at(120));
            recording.gap("node-http", 0, at(200), at(600), GapReason.BUDGET);
            recording.gap("node-loop", 0, at(300), at(500), GapReason.BUDGET);
            // A hit while the windows close; what the connection serves when they open again began between.
            requests.asked(0xa00, 0xb00, "/closing", 205);
            requests.handled(0xa00, 205, 208);
            recording.withNumbers(LOOP).span(LOOP_POLL, at(610), at(690));
            requests.answered(0xa00, "HTTP/1.1 200 OK", 60, 700);
            requests.asked(0xa00, 0xb00, "/after", 800);
            requests.handled(0xa00, 800, 810);
            requests.answered(0xa00, "HTTP/1.1 204 No Content", 60, 900);
            recording.withNumbers(LOOP).span(LOOP_POLL, at(950), at(990));
            recording.end(START_NS + 1_000_000, 0);
        }
        return file;
    }

    /**
     * A request that is asked at 100, and whose connection is closed at 500, when 1,000 bytes of its answer are not written.
     *
     * @param lost so many hits of the probe of writes were lost
     */
    static Path writeCut(Path file, long lost) throws RecordingException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            probes(recording);
            recording.thread(100, 100, "node");
            RequestRecording requests = new RequestRecording(recording);
            recording.on(100, 100);
            requests.asked(0xa00, 0xb00, "/cut", 100);
            requests.answered(0xa00, "HTTP/1.1 200 OK (head 60, body 1000)", 60, 200);
            requests.handled(0xa00, 100, 210);
            recording.withNumbers(0xa00).instant(STREAM_CLOSE, at(500));
            if (lost > 0) {
                recording.loss(STREAM_WRITE, 0, at(0), at(600), lost);
            }
            recording.end(START_NS + 1_000_000, lost);
        }
        return file;
    }

    /**
     * A request that is asked at 100 and answered at 400, for which two statements are written: at 130, answered at 330, and at
     * 140, which fails at 350. A third one, of no request, is written at 600 and has no answer when the capture ends.
     */
    static Path writeWithStatements(Path file) throws RecordingException {
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            probes(recording);
            recording
                    .withRole(Role.DB_STATEMENT)
                    .probe(
                            DB_STATEMENT,
                            "statement",
                            "node-db",
                            EventKind.SPAN,
                            argument("stream", "ptr", ""),
                            argument("rows", "s64", ""),
                            argument("sent", "s64", "bytes"),
                            argument("received", "s64", "bytes"),
                            argument(
                                    "protocol",
                                    "str",
                                    "",
                                    FlowStep.NONE,
                                    Map.of("postgresql", "PostgreSQL", "mysql", "MySQL", "redis", "Redis")),
                            argument("operation", "str", ""),
                            argument("statement", "str", ""),
                            argument("reply", "str", ""),
                            argument("error_code", "str", ""),
                            argument("remote", "str", ""),
                            argument("trace_id", "str", ""),
                            argument("span_id", "str", ""));
            recording.thread(100, 100, "node");
            RequestRecording requests = new RequestRecording(recording);
            recording.on(100, 100);
            requests.asked(0xa00, 0xb00, "/users?id=***", 100);
            requests.handled(0xa00, 100, 190);
            requests.statement("postgresql", "SELECT users", "SELECT 3", 3).span(DB_STATEMENT, at(130), at(330));
            requests.statement("mysql", "INSERT orders", "ERROR", -1).span(DB_STATEMENT, at(140), at(350));
            requests.answered(0xa00, "HTTP/1.1 200 OK", 60, 400);
            requests.statement("redis", "GET", "", -1).openSpan(DB_STATEMENT, at(600));
            recording.end(START_NS + 1_000_000, 0);
        }
        return file;
    }

    private TestRecording statement(String protocol, String operation, String reply, long rows) {
        return recording
                .withNumbers(0xd00, rows, 40, 90)
                .withStrings(
                        protocol,
                        operation,
                        operation + " ***",
                        reply,
                        reply.equals("ERROR") ? "1062" : "",
                        "10.0.0.3:5432",
                        "4bf92f3577b34da6a3ce929d0e0e4736",
                        "00f067aa0ba902b7");
    }

    static void probes(TestRecording recording) throws RecordingException {
        recording
                .withRole(Role.STREAM_READ)
                .probe(
                        STREAM_READ,
                        "read",
                        "node-net",
                        EventKind.INSTANT,
                        argument("stream", "ptr", ""),
                        argument("bytes", "s64", "bytes"))
                .withRole(Role.STREAM_WRITE)
                .probe(
                        STREAM_WRITE,
                        "write",
                        "node-net",
                        EventKind.INSTANT,
                        argument("stream", "ptr", ""),
                        argument("bytes", "s64", "bytes"))
                .withRole(Role.STREAM_CLOSE)
                .probe(STREAM_CLOSE, "close", "node-net", EventKind.INSTANT, argument("stream", "ptr", ""));
        httpProbes(recording);
        loopProbes(recording);
    }

    private static void httpProbes(TestRecording recording) throws RecordingException {
        recording
                .withRole(Role.HTTP_BEGIN)
                .probe(
                        HTTP_BEGIN,
                        "message begin",
                        "node-http",
                        EventKind.INSTANT,
                        argument("parser", "ptr", ""),
                        argument("type", "u8", ""))
                .withRole(Role.HTTP_URL)
                .probe(
                        HTTP_URL,
                        "url",
                        "node-http",
                        EventKind.INSTANT,
                        argument("parser", "ptr", ""),
                        argument("url", "str", ""))
                .withRole(Role.HTTP_HEADERS)
                .probe(
                        HTTP_HEADERS,
                        "headers",
                        "node-http",
                        EventKind.INSTANT,
                        argument("parser", "ptr", ""),
                        argument("type", "u8", ""),
                        argument("method", "u8", ""),
                        argument("status", "u16", ""),
                        argument("major", "u8", ""),
                        argument("minor", "u8", ""),
                        argument("flags", "u16", "flags"),
                        argument("upgrade", "u8", ""))
                .withRole(Role.HTTP_END)
                .probe(HTTP_END, "message end", "node-http", EventKind.INSTANT, argument("parser", "ptr", ""))
                .withRole(Role.HTTP_LINE)
                .probe(
                        HTTP_LINE,
                        "first line",
                        "node-http",
                        EventKind.INSTANT,
                        argument("stream", "ptr", ""),
                        argument("line", "str", ""));
    }

    private static void loopProbes(TestRecording recording) throws RecordingException {
        recording
                .withRole(Role.POOL_SUBMIT)
                .probe(
                        POOL_SUBMIT,
                        "uv_fs_open",
                        "node-fs",
                        EventKind.SPAN,
                        argument("request", "ptr", "", FlowStep.START, Map.of()),
                        argument("path", "str", ""))
                .withRole(Role.POOL_WORK)
                .probe(
                        POOL_WORK,
                        "uv__fs_work",
                        "node-fs",
                        EventKind.SPAN,
                        argument("request", "ptr", "", FlowStep.STEP, Map.of()))
                .withRole(Role.POOL_DONE)
                .probe(
                        POOL_DONE,
                        "uv__fs_done",
                        "node-fs",
                        EventKind.SPAN,
                        argument("request", "ptr", "", FlowStep.END, Map.of()))
                .withRole(Role.LOOP_POLL)
                .probe(LOOP_POLL, "poll", "node-loop", EventKind.SPAN, argument("loop", "ptr", ""))
                .withRole(Role.LOOP_CALLBACK)
                .probe(LOOP_CALLBACK, "async", "node-loop", EventKind.SPAN)
                .withRole(Role.LOOP_CALLBACK)
                .probe(STREAM_IO, "stream I/O", "node-loop", EventKind.SPAN, argument("stream", "ptr", ""));
    }

    /** The first turn of the loop reads two requests, the second one answers the first of them, the third reads a third. */
    private void events() throws RecordingException {
        recording.on(100, 100);
        asked(0xa00, 0xb00, "/file?name=***", 100);
        submitted(130);
        handled(0xa00, 100, 190);
        asked(0xa01, 0xb01, "/quick", 200);
        answered(0xa01, "HTTP/1.1 204 No Content", 60, 240);
        handled(0xa01, 200, 250);
        recording.withNumbers(LOOP).span(LOOP_POLL, at(10), at(260));
        recording.on(100, 101).withNumbers(FILE_REQUEST).span(POOL_WORK, at(150), at(300));
        recording.on(100, 100);
        done(320, 400);
        span(LOOP_CALLBACK, 310, 410);
        recording.withNumbers(LOOP).span(LOOP_POLL, at(290), at(420));
        asked(0xa02, 0xb02, "/never", 520);
        handled(0xa02, 520, 560);
        recording.withNumbers(LOOP).span(LOOP_POLL, at(430), at(570)).withNumbers(LOOP);
        recording.openSpan(LOOP_POLL, at(600));
    }

    private static long at(long microseconds) {
        return START_NS + 1_000 * microseconds;
    }

    private void span(int probe, long fromMicroseconds, long toMicroseconds) throws RecordingException {
        recording.span(probe, at(fromMicroseconds), at(toMicroseconds));
    }

    private void asked(long stream, long parser, String url, long fromMicroseconds) throws RecordingException {
        long ns = at(fromMicroseconds);
        recording
                .withNumbers(stream, 300)
                .instant(STREAM_READ, ns + 1_000)
                .withNumbers(parser, 1)
                .instant(HTTP_BEGIN, ns + 2_000)
                .withNumbers(parser)
                .withStrings(url)
                .instant(HTTP_URL, ns + 3_000)
                .withNumbers(parser, 1, 1, 0, 1, 1, 0, 0)
                .instant(HTTP_HEADERS, ns + 4_000)
                .withNumbers(parser)
                .instant(HTTP_END, ns + 5_000);
    }

    private void handled(long stream, long fromMicroseconds, long toMicroseconds) throws RecordingException {
        recording.withNumbers(stream);
        span(STREAM_IO, fromMicroseconds, toMicroseconds);
    }

    private void answered(long stream, String line, long sizeBytes, long microseconds) throws RecordingException {
        recording
                .withNumbers(stream)
                .withStrings(line)
                .instant(HTTP_LINE, at(microseconds))
                .withNumbers(stream, sizeBytes)
                .instant(STREAM_WRITE, at(microseconds) + 1_000);
    }

    private void submitted(long microseconds) throws RecordingException {
        recording.withNumbers(FILE_REQUEST).withStrings("/srv/file.txt");
        span(POOL_SUBMIT, microseconds, microseconds + 5);
    }

    private void done(long fromMicroseconds, long toMicroseconds) throws RecordingException {
        answered(0xa00, "HTTP/1.1 200 OK", 4_000, fromMicroseconds + 40);
        recording.withNumbers(FILE_REQUEST);
        span(POOL_DONE, fromMicroseconds, toMicroseconds);
    }
}
