package dev.probestream.convert;

import java.nio.file.Path;
import java.util.List;

/**
 * Turns recordings into a trace.
 *
 * <p>The trace is written beside its final place and renamed when it is whole, so that a failed conversion leaves
 * neither half a file nor a changed one. A recording that is broken somewhere is converted as far as it can be read;
 * the outcome says the rest.
 */
public final class Conversion {
    private Conversion() {}

    /**
     * Converts {@code inputs} into the trace {@code output}, whose ending tells the format.
     *
     * @throws ConversionException if no input can be read or the output cannot be written
     */
    public static ConversionOutcome run(List<Path> inputs, Path output, Slice slice) throws ConversionException {
        return run(inputs, output, slice, ConversionProgress.NONE);
    }

    /** As above; {@code progress} is told every 65,536 events. */
    public static ConversionOutcome run(List<Path> inputs, Path output, Slice slice, ConversionProgress progress)
            throws ConversionException {
        TraceFormat.check(output);
        throw new ConversionException("cannot write " + output + ": not built yet", null);
    }
}
