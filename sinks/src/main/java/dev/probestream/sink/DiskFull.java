package dev.probestream.sink;

import org.jspecify.annotations.Nullable;

/** Tells the one failure of a disk that is worth waiting for from the others. */
final class DiskFull {
    private DiskFull() {}

    /** Whether {@code failure} goes back to ENOSPC or EDQUOT; their texts are strerror(3)'s, as the JDK passes them on. */
    static boolean caused(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
                return true;
            }
        }
        return false;
    }
}
