package dev.probestream.sink.position;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A sink cannot use the folder. The message names the reason and what to do. */
final class FolderException extends IOException {
    private static final long serialVersionUID = 1L;

    FolderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
