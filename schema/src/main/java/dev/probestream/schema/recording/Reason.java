package dev.probestream.schema.recording;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** The error of the system, without the class names and file names that the JDK adds. */
final class Reason {
    private Reason() {}

    static String of(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "No such file or directory";
        }
        if (e instanceof AccessDeniedException) {
            return "Permission denied";
        }
        String message = e.getMessage();
        if (message == null) {
            return e.getClass().getSimpleName();
        }
        // java.io reports "FILE (No such file or directory)".
        int open = message.lastIndexOf('(');
        return e instanceof FileNotFoundException && open >= 0 && message.endsWith(")")
                ? message.substring(open + 1, message.length() - 1)
                : message;
    }
}
