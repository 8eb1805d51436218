package dev.probestream.convert.route;

import java.util.regex.Pattern;

/**
 * The route of a request: the path of its URL, with {@code :id} for each part that names one thing of many.
 *
 * <pre>
 * /users/42/orders/b7e2-...  ->  /users/:id/orders/:id
 * /img/cat-17.png?w=2        ->  /img/:id.png
 * /v1/things/77:cancel       ->  /v1/things/:id:cancel
 * </pre>
 *
 * <p>Decides by the part alone, so that the same URL always has the same route. Ids are: numbers, dates, UUIDs, hexadecimal
 * and mixed codes, words with a number behind them ({@code order-17}, {@code u1001}), e-mail addresses, and what was masked. Names
 * such as {@code /users/alice} are not recognised.
 */
public final class Route {
    private static final String ID = ":id";

    /** A part of a path is longer only if it carries data. */
    private static final int LONGEST_NAME = 64;

    /** From this length on a part that changes often between letters and digits is a code. */
    private static final int SHORTEST_CODE = 10;

    private static final int CHANGES_OF_CODE = 3;

    private static final Pattern NUMBER_OR_DATE = Pattern.compile("[0-9][0-9.,:_+T-]*Z?");
    private static final Pattern WORD_WITH_NUMBER = Pattern.compile("[A-Za-z_]+[-_.~][0-9]+|[A-Za-z]{1,8}[0-9]{3,}");
    private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]{8,}|[0-9a-fA-F-]{16,}");
    private static final Pattern EXTENSION = Pattern.compile("(.+)(\\.[A-Za-z][A-Za-z0-9]{0,4})");

    private Route() {}

    /** @param url of a request: a path, or all of a URL, as a proxy gets it; "" if it is unknown, then so is the route */
    public static String of(String url) {
        int end = pathEnd(url);
        int begin = pathBegin(url, end);
        StringBuilder route = new StringBuilder(end).append(url, 0, begin);
        int from = begin;
        while (from < end) {
            int slash = url.indexOf('/', from);
            int to = slash < 0 || slash > end ? end : slash;
            appendPart(url.substring(from, to), route);
            if (to < end) {
                route.append('/');
            }
            from = to + 1;
        }
        return route.toString();
    }

    private static int pathEnd(String url) {
        for (int i = 0; i < url.length(); i++) {
            if (url.charAt(i) == '?' || url.charAt(i) == '#') {
                return i;
            }
        }
        return url.length();
    }

    /** Behind "http://host:port". What begins with neither a slash nor a scheme is "host:port" (CONNECT) or "*": no path. */
    private static int pathBegin(String url, int end) {
        if (url.startsWith("/")) {
            return 0;
        }
        int scheme = url.indexOf("://");
        int slash = scheme < 0 ? -1 : url.indexOf('/', scheme + 3);
        return slash < 0 || slash > end ? end : slash;
    }

    /** "42;v=1" has parameters, and "42:cancel" a verb behind it. */
    private static void appendPart(String whole, StringBuilder route) {
        int parameters = whole.indexOf(';');
        String part = parameters < 0 ? whole : whole.substring(0, parameters);
        int colon = part.lastIndexOf(':');
        if (isId(part)) {
            route.append(ID);
        } else if (colon > 0 && isId(part.substring(0, colon))) {
            route.append(ID).append(part, colon, part.length());
        } else {
            appendFile(part, route);
        }
    }

    /** "cat-17.png", or "app.5d41402a.js". */
    private static void appendFile(String part, StringBuilder route) {
        var named = EXTENSION.matcher(part);
        if (!named.matches()) {
            route.append(part);
            return;
        }
        String name = named.group(1);
        int mark = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
        if (mark > 0 && isCode(name.substring(mark + 1)) && !isId(name.substring(0, mark))) {
            route.append(name, 0, mark + 1).append(ID);
        } else {
            route.append(isId(name) ? ID : name);
        }
        route.append(named.group(2));
    }

    private static boolean isId(String part) {
        if (part.length() > LONGEST_NAME || part.contains("***") || part.indexOf('@') > 0) {
            return true;
        }
        if (part.chars().noneMatch(character -> character >= '0' && character <= '9')) {
            return false; // most parts: without a regular expression
        }
        return part.contains("%40")
                || NUMBER_OR_DATE.matcher(part).matches()
                || WORD_WITH_NUMBER.matcher(part).matches()
                || isCode(part);
    }

    /** Of hexadecimal digits, or of letters and digits in turn. A word of a to f, such as "defaced", has no digit. */
    private static boolean isCode(String part) {
        if (part.indexOf('.') >= 0) {
            return false; // the name of a file
        }
        int digits = 0;
        int changes = 0;
        char before = 0;
        for (int i = 0; i < part.length(); i++) {
            char character = part.charAt(i);
            boolean isDigit = character >= '0' && character <= '9';
            boolean isLetter = Character.isLetter(character);
            digits += isDigit ? 1 : 0;
            if (isDigit || isLetter) {
                char kind = isDigit ? '0' : 'a';
                changes += before != 0 && before != kind ? 1 : 0;
                before = kind;
            }
        }
        return digits > 0
                && (HEXADECIMAL.matcher(part).matches()
                        || (part.length() >= SHORTEST_CODE && changes >= CHANGES_OF_CODE));
    }
}
