package dev.probestream.sink.position;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The folder is not one that this sink can go on with. The message says why and what to do. */
public final class FolderException extends IOException {
    private static final long serialVersionUID = 1L;

    FolderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
