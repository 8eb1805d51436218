package dev.probestream.schema.recording;

import com.github.luben.zstd.util.Native;

/** The native library behind zstd-jni, which unpacks itself into a temporary folder when it is first needed. */
final class ZstdLibrary {
    private ZstdLibrary() {}

    /** Loads the library now, so that a machine where it cannot be loaded fails before anything is recorded. */
    static void load() throws RecordingException {
        try {
            Native.load();
        } catch (LinkageError e) {
            throw new RecordingException(
                    "cannot load the zstd library: " + e.getMessage()
                            + "; name a folder that allows executables with -DZstdTempFolder=FOLDER",
                    e);
        }
    }
}
