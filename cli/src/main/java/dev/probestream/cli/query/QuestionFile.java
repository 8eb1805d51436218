package dev.probestream.cli.query;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** The file of {@code -f}, whose statements run with the rights of the user. */
final class QuestionFile {
    private static final int ROOT = 0;

    private QuestionFile() {}

    /** The text of a file; {@code -} is standard input. */
    static String read(String file) throws IOException, CommandException {
        if (!file.equals("-") && !Files.isRegularFile(Path.of(file))) {
            throw new CommandException(ExitCode.FAILED, "cannot read " + file + ": the file does not exist");
        }
        byte[] bytes = file.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A warning if somebody else than the user and root can have written the file. */
    static Optional<String> warning(String file) throws IOException {
        Path path = Path.of(file);
        if (file.equals("-") || !Files.getFileStore(path).supportsFileAttributeView("unix")) {
            return Optional.empty();
        }
        int owner = (Integer) Files.getAttribute(path, "unix:uid");
        boolean isOwn = owner == ROOT
                || owner == (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid")
                || String.valueOf(owner).equals(System.getenv("SUDO_UID"));
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        String reason;
        if (!isOwn) {
            reason = "belongs to another user (uid " + owner + ")";
        } else if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            reason = "can be changed by every user";
        } else {
            return Optional.empty();
        }
        return Optional.of("warning: " + file + " " + reason
                + ", and its statements can read and write files with your rights; --confined prevents that");
    }
}
