package dev.probestream.query.result;

/** The width of a text in columns of a terminal: 1 per character, 0 for combining marks, 2 for wide ones (East Asian, emoji). */
final class TextWidth {
    private static final String CUT = "…";

    private TextWidth() {}

    static int of(String text) {
        return text.codePoints().map(TextWidth::ofPoint).sum();
    }

    /** {@code text}, or its beginning with an ellipsis if it is wider than {@code width}. */
    static String cut(String text, int width) {
        if (text.length() <= width / 2 || of(text) <= width) {
            return text;
        }
        int taken = 0;
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (taken + ofPoint(point) > width - 1) {
                break;
            }
            taken += ofPoint(point);
            at += Character.charCount(point);
        }
        return text.substring(0, at) + CUT;
    }

    private static int ofPoint(int point) {
        if (point < 0x300) {
            return 1;
        }
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        // Unicode 15, EastAsianWidth.txt: the blocks that are wide as a whole.
        boolean isWide = (point >= 0x1100 && point <= 0x115f)
                || (point >= 0x2e80 && point <= 0xa4cf)
                || (point >= 0xac00 && point <= 0xd7a3)
                || (point >= 0xf900 && point <= 0xfaff)
                || (point >= 0xfe30 && point <= 0xfe6f)
                || (point >= 0xff00 && point <= 0xff60)
                || (point >= 0xffe0 && point <= 0xffe6)
                || (point >= 0x1f300 && point <= 0x1faff)
                || (point >= 0x20000 && point <= 0x3fffd);
        return isWide ? 2 : 1;
    }
}
