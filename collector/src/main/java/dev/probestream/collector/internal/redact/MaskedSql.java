package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.collector.probe.Disclosure;
import java.nio.ByteBuffer;

/**
 * The texts of SQL statements as they are recorded: without their literals ({@link SqlMask}). At most {@link #MAX_BYTES} bytes of a
 * statement are looked at. Not thread-safe.
 */
public final class MaskedSql {
    /** What is kept of a statement. */
    public static final int MAX_BYTES = 512;

    private static final String ELLIPSIS = "…";

    private final boolean isShown;
    private final ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(MAX_BYTES));
    private final SqlMask mask;

    private MaskedSql(Disclosure shown, boolean isMySql) {
        this.isShown = shown.queries();
        this.mask = isMySql ? SqlMask.ofMySql(out) : new SqlMask(out);
    }

    /** Of SQL as the standard has it. */
    public static MaskedSql standard(Disclosure shown) {
        return new MaskedSql(shown, false);
    }

    /** Of MySQL's language, in which double quotes enclose texts. */
    public static MaskedSql ofMySql(Disclosure shown) {
        return new MaskedSql(shown, true);
    }

    /**
     * A statement as it is recorded.
     *
     * @param isCut whether it goes on behind {@code end}
     */
    public String of(byte[] bytes, int start, int end, boolean isCut) {
        int last = Math.min(end, start + MAX_BYTES);
        while (last < end && last > start && (bytes[last] & 0xc0) == 0x80) {
            last--;
        }
        String suffix = isCut || last < end ? ELLIPSIS : "";
        if (isShown) {
            return new String(bytes, start, last - start, UTF_8) + suffix;
        }
        out.clear();
        mask.copy(ByteBuffer.wrap(bytes), start, last);
        return new String(out.array(), 0, out.position(), UTF_8) + suffix;
    }
}
