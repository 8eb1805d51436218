package dev.probestream.collector.internal.redact;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.TextRule;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/** Copies texts and masks them by their {@link TextRule}. Not thread-safe. */
public final class TextRules {
    /** The most bytes of a copy beyond twice the length of the text: a name from the piece before, and masks. */
    private static final int MAX_ADDED_BYTES = 128;

    private final ByteBuffer out;
    private final UrlMask urls;
    private final PathMask files;
    private final UrlPieces pieces;
    private final HttpLine lines;
    private final Http2Request http2;
    private final GrpcStatusHeader grpc;
    private final DnsAnswer dns;
    private final SqlMask sql;
    private final RedisMask redis;
    private final ArgumentMask arguments;
    private final ErrorMask errors;
    private final boolean isQueryShown;
    private final boolean areArgumentsShown;
    private int pid;
    private long parser;
    private int probeId;

    /**
     * @param out receives the copy; its capacity must be {@link #capacityFor} the longest text
     * @param shown what is recorded unmasked
     * @param hasLostHits whether any hit of the probe with this id was lost
     */
    public TextRules(ByteBuffer out, Disclosure shown, IntPredicate hasLostHits) {
        this.out = out;
        this.isQueryShown = shown.queries();
        this.areArgumentsShown = shown.arguments();
        this.urls = new UrlMask(out, shown.paths());
        this.files = new PathMask(out, true, shown.paths());
        this.pieces = new UrlPieces(urls, hasLostHits);
        this.lines = new HttpLine(out, urls, isQueryShown);
        this.http2 = new Http2Request(out, urls, isQueryShown);
        this.grpc = new GrpcStatusHeader(out);
        this.dns = new DnsAnswer(out);
        this.sql = new SqlMask(out);
        this.redis = new RedisMask(out);
        this.arguments = new ArgumentMask(out);
        this.errors = new ErrorMask(out);
    }

    /** The bytes that the masked copy of a text may take. */
    public static int capacityFor(int textBytes) {
        return 2 * textBytes + MAX_ADDED_BYTES;
    }

    /** Begins the texts of another event. */
    public void beginEvent() {
        arguments.begin();
    }

    /** Records that a parser begins a message, as reported by the given probe. */
    public void beginMessage(int ofPid, long itsParser, int itsProbeId) {
        pieces.begin(ofPid, itsParser, itsProbeId);
    }

    /** Selects the parser, and the probe, that the next URL pieces belong to. */
    public void selectParser(int ofPid, long itsParser, int itsProbeId) {
        pid = ofPid;
        parser = itsParser;
        probeId = itsProbeId;
    }

    /**
     * Copies the text from {@code start} to {@code end} (absolute).
     *
     * @param isCut whether the text continues after {@code end}
     * @return whether the copy is cut
     */
    public boolean copy(TextRule rule, ByteBuffer source, int start, int end, boolean isCut) {
        return switch (rule) {
            case PLAIN -> plain(source, start, end, isCut);
            case URL -> {
                if (isQueryShown) {
                    yield plain(source, start, end, isCut);
                }
                urls.copyUrl(source, start, end, isCut);
                yield isCut;
            }
            case QUERY -> {
                if (isQueryShown) {
                    yield plain(source, start, end, isCut);
                }
                urls.copy(source, start, end, UrlMask.Position.NAME, isCut);
                yield isCut;
            }
            case PATH -> {
                files.begin();
                files.copy(source, start, end, isCut);
                yield isCut;
            }
            case URL_PIECE -> {
                if (isQueryShown) {
                    yield plain(source, start, end, isCut);
                }
                pieces.copy(pid, parser, probeId, source, start, end, isCut);
                yield isCut;
            }
            case HTTP_LINE -> lines.copy(source, start, end, isCut);
            case HTTP_READ -> lines.copyRead(source, start, end, isCut);
            case HTTP_STATUS -> lines.copyAnswer(source, start, end, isCut);
            case HTTP2_REQUEST -> http2.copy(source, start, end, isCut);
            case GRPC_STATUS -> {
                grpc.copy(source, start, end);
                yield false;
            }
            case NUMBER -> {
                grpc.copyNumber(source, start, end);
                yield false;
            }
            case DNS_NAME -> {
                dns.copyName(source, start, end);
                yield false;
            }
            case DNS_ADDRESSES -> dns.copyAddresses(source, start, end, isCut);
            case SQL -> {
                if (isQueryShown) {
                    yield plain(source, start, end, isCut);
                }
                sql.copy(source, start, end);
                yield isCut;
            }
            case REDIS_COMMAND -> {
                redis.copyCommand(source, start, end);
                yield isCut;
            }
            case REDIS_ARGUMENT -> {
                redis.copyArgument(source, start, end);
                yield isCut;
            }
            case REDIS_REPLY -> {
                redis.copyReply(source, start, end);
                yield isCut;
            }
            case ERROR -> {
                errors.copy(source, start, end);
                yield isCut;
            }
            case ARGUMENT -> {
                if (areArgumentsShown) {
                    yield plain(source, start, end, isCut);
                }
                arguments.copy(source, start, end);
                yield isCut;
            }
        };
    }

    /** Records that a text could not be read. */
    public void markUnreadable(TextRule rule) {
        if (rule == TextRule.URL_PIECE) {
            pieces.markUnreadable(pid, parser);
        }
    }

    private boolean plain(ByteBuffer source, int start, int end, boolean isCut) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
        return isCut;
    }
}
