package dev.probestream.collector.publish;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Hides the secrets of a Kafka client's properties in messages. A secret that is shorter than {@value #MIN_LENGTH_WITHIN} characters is
 * hidden only where it stands as a word of its own, so that a password such as {@code kafka} does not make a hole in the name of a host.
 */
final class SecretWords {
    private static final String HIDDEN = "[hidden]";

    /** Secrets of this length are hidden within words, too: no message has such a word by accident. */
    private static final int MIN_LENGTH_WITHIN = 12;

    /** Of a secret of several words, such as a key in PEM, words of this length are hidden by themselves. */
    private static final int MIN_WORD_LENGTH = 8;

    /** {@code org.x.Module required name="value" other=value;}, as {@code javax.security.auth.login.Configuration} describes it. */
    private static final Pattern JAAS = Pattern.compile(
            "\\s*[\\w.$]+\\s+(?:required|requisite|sufficient|optional)((?:\\s+[\\w.-]+\\s*=\\s*(?:\"[^\"]*\"|[^\\s;\"]+))*)\\s*;\\s*",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern OPTION = Pattern.compile("([\\w.-]+)\\s*=\\s*(?:\"([^\"]*)\"|([^\\s;\"]+))");

    /** Options of login modules that contain no secret. */
    private static final Set<String> OPEN_OPTIONS = Set.of(
            "username",
            "principal",
            "servicename",
            "keytab",
            "usekeytab",
            "storekey",
            "useticketcache",
            "refreshkrb5config",
            "donotprompt",
            "debug");

    private final List<Pattern> longestFirst;

    /** @param properties of the client; only those with a secret count */
    SecretWords(Map<String, String> properties) {
        Set<String> words = new TreeSet<>();
        properties.forEach((name, value) -> {
            if (isSecret(name)) {
                words.add(value);
                parts(value).forEach(words::add);
            }
        });
        longestFirst = words.stream()
                .filter(word -> !word.isBlank())
                .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()))
                .map(SecretWords::pattern)
                .toList();
    }

    String hiddenIn(String message) {
        String text = message;
        for (Pattern secret : longestFirst) {
            text = secret.matcher(text).replaceAll(Matcher.quoteReplacement(HIDDEN));
        }
        return text;
    }

    /** Not within a word: behind or before a letter, a digit or '_', or one of '.' and '-' that joins two words. */
    private static Pattern pattern(String secret) {
        String quoted = Pattern.quote(secret);
        return Pattern.compile(
                secret.length() >= MIN_LENGTH_WITHIN
                        ? quoted
                        : "(?<![\\w])(?<![\\w][.-])" + quoted + "(?![\\w])(?![.-][\\w])",
                Pattern.UNICODE_CHARACTER_CLASS);
    }

    /** The parts of a value that messages may quote by themselves: options of a login module, or the long words of another value. */
    private static Stream<String> parts(String value) {
        if (!JAAS.matcher(value).matches()) {
            return Arrays.stream(value.split("[\\s\"'=;,]+"))
                    .filter(word -> word.length() >= MIN_WORD_LENGTH && !word.startsWith("-----"));
        }
        return OPTION.matcher(value)
                .results()
                .filter(option -> !OPEN_OPTIONS.contains(option.group(1).toLowerCase(Locale.ROOT)))
                .map(option -> option.group(2) == null ? option.group(3) : option.group(2));
    }

    private static boolean isSecret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".key")
                || Stream.of("password", "secret", "jaas", "token", "credential")
                        .anyMatch(lower::contains);
    }
}
