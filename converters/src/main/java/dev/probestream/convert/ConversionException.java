package dev.probestream.convert;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A trace could not be made. The message says what was tried, on which file, what the system said, and what to do. */
public final class ConversionException extends IOException {
    private static final long serialVersionUID = 1L;

    ConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
