package dev.probestream.schema;

/**
 * Joins the pieces of a URL as they are recorded, with the values of the query masked: {@code /a?***}, {@code token=***&b=***} give
 * {@code /a?token=***&b=***}.
 *
 * <p>A piece that ends within a name is recorded with a mask instead of the name, because what looks like a name may be a secret.
 * If the next piece shows that it is a name with a value, that piece begins with the name, and not with {@code &} as it does
 * otherwise. It takes the place of the mask. In recordings with unmasked queries, three asterisks at the end of a piece are taken for
 * a mask if they are all of a name.
 */
public final class JoinedUrl {
    private static final String MASK = "***";

    private JoinedUrl() {}

    /**
     * Appends the next piece to what the earlier ones gave.
     *
     * @param url what the earlier pieces gave; extended
     * @param piece the next one
     */
    public static void append(StringBuilder url, String piece) {
        int mask = url.length() - MASK.length();
        boolean isAfterMask = mask > 0 && url.indexOf(MASK, mask) == mask && isNameAt(url, mask);
        if (isAfterMask && !piece.isEmpty() && piece.charAt(0) != '&') {
            url.setLength(mask);
        }
        url.append(piece);
    }

    /** Whether a part of the query begins there. */
    private static boolean isNameAt(StringBuilder url, int index) {
        int query = 0;
        while (query < index && url.charAt(query) != '?' && url.charAt(query) != '#') {
            query++;
        }
        return query < index && (query == index - 1 || url.charAt(index - 1) == '&');
    }
}
