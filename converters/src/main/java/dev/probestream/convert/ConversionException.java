package dev.probestream.convert;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A trace could not be made. The message has the attempt, the file, the error of the system, and the remedy. */
public final class ConversionException extends IOException {
    private static final long serialVersionUID = 1L;

    ConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
