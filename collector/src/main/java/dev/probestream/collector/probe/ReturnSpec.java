package dev.probestream.collector.probe;

/**
 * What a function returns.
 *
 * @param type a number
 * @param unit as {@code Argument.unit} of the Avro schema
 */
public record ReturnSpec(ArgumentType type, String unit) {
    /** Checks the values. */
    public ReturnSpec {
        if (type.isText() || type.form() == ArgumentType.Form.DECLARED) {
            throw new IllegalArgumentException("a returned value of type " + type.recordName() + ": must be a number");
        }
    }
}
