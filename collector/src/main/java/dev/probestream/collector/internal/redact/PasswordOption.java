package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/** The short option by which a known program takes a password. */
enum PasswordOption {
    NONE('\0', Names.WHOLE),
    /** {@code mysql -pPASSWORD}, mysqldump and others; with a blank, {@code -p} asks for the password. */
    MYSQL('p', Names.BEGINNINGS, "mysql", "mariadb"),
    MONGO('p', Names.BEGINNINGS, "mongo"),
    SSHPASS('p', Names.WHOLE, "sshpass", "login"),
    SQLCMD('P', Names.WHOLE, "sqlcmd", "bcp"),
    REDIS('a', Names.BEGINNINGS, "redis-"),
    /** {@code curl -u USER:PASSWORD}. */
    CURL('u', Names.WHOLE, "curl"),
    HTTPIE('a', Names.WHOLE, "http", "https"),
    LDAP('w', Names.BEGINNINGS, "ldap");

    private enum Names {
        WHOLE,
        BEGINNINGS
    }

    private static final PasswordOption[] ALL = values();

    private final char letter;
    private final Names names;
    /** Read only. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[][] programs;

    PasswordOption(char letter, Names names, String... programs) {
        this.letter = letter;
        this.names = names;
        this.programs = SecretName.bytes(programs);
    }

    /** Whether the password is never the next word. */
    boolean isAttachedOnly() {
        return this == MYSQL;
    }

    /** The option that holds behind a word: that of the word, if it names a known program, with or without a path. */
    PasswordOption behind(ByteBuffer source, int start, int end) {
        if (source.get(start) == '-') {
            return this;
        }
        int name = end;
        while (name > start && source.get(name - 1) != '/') {
            name--;
        }
        for (PasswordOption option : ALL) {
            for (byte[] program : option.programs) {
                boolean isLong = end - name > program.length;
                if (!(isLong && option.names == Names.WHOLE) && SecretName.startsWith(source, name, end, program)) {
                    return option;
                }
            }
        }
        return this;
    }

    /** The length of {@code -x} if the word begins with this option, else 0. */
    int lettersOf(ByteBuffer source, int start, int end) {
        return letter != 0 && end - start >= 2 && source.get(start) == '-' && source.get(start + 1) == letter ? 2 : 0;
    }
}
