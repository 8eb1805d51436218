package dev.probestream.collector.redact;

import dev.probestream.collector.probe.TextRule;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/** Copies texts as far as their {@link TextRule} lets them be recorded. For one thread. */
public final class TextRules {
    private final ByteBuffer out;
    private final UrlMask urls;
    private final UrlPieces pieces;
    private final HttpLine lines;
    private final boolean isQueryShown;
    private int pid;
    private long parser;
    private int probeId;

    /**
     * @param out takes what is copied; must have room for twice as much as is read, and some bytes more
     * @param isQueryShown whether the values in queries are recorded as they are
     * @param hasLostHits whether any hit of the probe with this id was lost so far
     */
    public TextRules(ByteBuffer out, boolean isQueryShown, IntPredicate hasLostHits) {
        this.out = out;
        this.isQueryShown = isQueryShown;
        this.urls = new UrlMask(out);
        this.pieces = new UrlPieces(urls, hasLostHits);
        this.lines = new HttpLine(out, urls, isQueryShown);
    }

    /** A message begins that this parser reads, as this probe told. */
    public void beginMessage(int ofPid, long itsParser, int itsProbeId) {
        pieces.begin(ofPid, itsParser, itsProbeId);
    }

    /** Says whose pieces of URLs come next. */
    public void selectParser(int ofPid, long itsParser, int itsProbeId) {
        pid = ofPid;
        parser = itsParser;
        probeId = itsProbeId;
    }

    /**
     * Copies a text, absolute from {@code start} to {@code end}.
     *
     * @param isCut whether it goes on behind what is there
     * @return whether what was copied is cut
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
                urls.copy(source, start, end, UrlMask.Position.NAME);
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
        };
    }

    /** A text could not be read. */
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
