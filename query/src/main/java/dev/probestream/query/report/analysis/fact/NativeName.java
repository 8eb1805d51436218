package dev.probestream.query.report.analysis.fact;

import java.util.regex.Pattern;

/**
 * Shortens demangled names of C++ functions for sentences and tables: without return type, parameters and arguments of templates.
 * {@code void std::__1::vector<int, std::__1::allocator<int>>::push_back(int&&)} becomes {@code std::vector<…>::push_back}.
 * Names of C, Rust and Go, and those of the kernel, stay as they are as far as they have none of these.
 */
public final class NativeName {
    private static final String OPERATOR = "operator";
    private static final String ANONYMOUS = "(anonymous namespace)";

    /** The namespaces by which libc++ and libstdc++ distinguish versions of their types. */
    private static final Pattern VERSION_NAMESPACE = Pattern.compile("\\bstd::(?:__1|__cxx11|__ndk1)::");

    private static final Pattern STRING = Pattern.compile(
            "\\bstd::basic_string<char, std::char_traits<char>, std::allocator<char> ?>(?:::basic_string\\b)?");

    private final String name;
    private final StringBuilder kept = new StringBuilder();
    private int at;

    private NativeName(String name) {
        this.name = name;
    }

    /** The short name; {@code symbol} itself if there is nothing to leave out. */
    public static String shortened(String symbol) {
        if (symbol.indexOf('<') < 0 && symbol.indexOf('(') < 0 && !symbol.contains("std::__")) {
            return symbol;
        }
        String plain = VERSION_NAMESPACE.matcher(symbol).replaceAll("std::");
        String text = new NativeName(STRING.matcher(plain).replaceAll("std::string")).scan();
        return text.isEmpty() ? symbol : text;
    }

    private String scan() {
        boolean isAfterOperator = false;
        while (at < name.length()) {
            char c = name.charAt(at);
            if (isOperator()) {
                operator();
                isAfterOperator = true;
            } else if (name.startsWith(ANONYMOUS, at)) {
                kept.append(ANONYMOUS);
                at += ANONYMOUS.length();
            } else if (c == '<' && isTemplate()) {
                at = close('<', '>');
                kept.append("<…>");
            } else if (c == '(' && isParameters(close('(', ')'))) {
                at = close('(', ')');
                skipQualifiers();
            } else if (c == ' ' && !isAfterOperator && isReturnType()) {
                kept.setLength(0);
                at++;
            } else {
                kept.append(c);
                at++;
            }
        }
        return kept.toString().strip();
    }

    private boolean isOperator() {
        boolean isBegin = at == 0 || !Character.isJavaIdentifierPart(name.charAt(at - 1));
        int end = at + OPERATOR.length();
        return isBegin
                && name.startsWith(OPERATOR, at)
                && end < name.length()
                && !Character.isJavaIdentifierPart(name.charAt(end));
    }

    /** Copies {@code operator<}, {@code operator()}, {@code operator->}, {@code operator bool}: up to its parameters. */
    private void operator() {
        int end = at + OPERATOR.length();
        if (name.startsWith("()", end)) {
            end += 2;
        } else {
            while (end < name.length() && name.charAt(end) != '(' && !isTemplateOfOperator(end)) {
                end++;
            }
        }
        kept.append(name, at, end);
        at = end;
    }

    /** Whether a '<' begins arguments: that of {@code operator<} and {@code operator<<} does not. */
    private boolean isTemplateOfOperator(int index) {
        char before = name.charAt(index - 1);
        return name.charAt(index) == '<' && before != 'r' && before != '<' && before != '-';
    }

    /** Rust's {@code <T as Trait>::f} begins with it. */
    private boolean isTemplate() {
        return at > 0 && close('<', '>') > at + 1;
    }

    /** Whether a pair of parentheses is left out: not that of Go's {@code main.(*Server).handle}. */
    private boolean isParameters(int end) {
        return at > 0
                && name.charAt(at - 1) != '.'
                && (end == name.length() || " :[}&>#".indexOf(name.charAt(end)) >= 0);
    }

    private void skipQualifiers() {
        for (String qualifier : new String[] {" const", " volatile", " &&", " &", " noexcept"}) {
            if (name.startsWith(qualifier, at)) {
                at += qualifier.length();
            }
        }
    }

    /** Whether a type ends here: a name with parameters or a scope follows. */
    private boolean isReturnType() {
        return name.indexOf('(', at) > 0 && !name.startsWith(" [", at) && kept.indexOf("{") < 0;
    }

    /** Index after the bracket that closes the one here; the end if there is none. */
    private int close(char open, char closing) {
        int depth = 0;
        for (int i = at; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isArrow = c == '>' && i > 0 && name.charAt(i - 1) == '-';
            if (c == open) {
                depth++;
            } else if (c == closing && !isArrow && --depth == 0) {
                return i + 1;
            }
        }
        return name.length();
    }
}
