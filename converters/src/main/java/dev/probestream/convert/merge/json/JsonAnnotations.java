package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.probestream.schema.perfetto.DebugAnnotation;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;

/** JSON values as debug annotations. A value that no annotation can hold becomes JSON text. */
final class JsonAnnotations {
    /** Readers of protobuf go 100 messages deep, of which the trace takes three. */
    private static final int MAX_DEPTH = 32;

    private static final BigInteger UNSIGNED_LIMIT = BigInteger.ONE.shiftLeft(Long.SIZE);

    private JsonAnnotations() {}

    static DebugAnnotation of(String name, JsonNode value) {
        return put(DebugAnnotation.newBuilder().setName(name), value, 0).build();
    }

    private static DebugAnnotation.Builder put(DebugAnnotation.Builder annotation, JsonNode value, int depth) {
        boolean isEmpty = value.isContainerNode() && value.isEmpty();
        if (isEmpty || depth == MAX_DEPTH) {
            return annotation.setStringValue(value.isTextual() ? value.textValue() : value.toString());
        }
        return switch (value.getNodeType()) {
            case BOOLEAN -> annotation.setBoolValue(value.booleanValue());
            case NUMBER -> number(annotation, value);
            case STRING -> annotation.setStringValue(value.textValue());
            case ARRAY -> {
                for (JsonNode element : value) {
                    annotation.addArrayValues(put(DebugAnnotation.newBuilder(), element, depth + 1));
                }
                yield annotation;
            }
            case OBJECT -> {
                for (Map.Entry<String, JsonNode> member : value.properties()) {
                    annotation.addDictEntries(
                            put(DebugAnnotation.newBuilder().setName(member.getKey()), member.getValue(), depth + 1));
                }
                yield annotation;
            }
            case NULL, BINARY, MISSING, POJO -> annotation.setStringValue(value.asText());
        };
    }

    private static DebugAnnotation.Builder number(DebugAnnotation.Builder annotation, JsonNode value) {
        if (value.isIntegralNumber()) {
            BigInteger number = value.bigIntegerValue();
            if (number.bitLength() < Long.SIZE) {
                return annotation.setIntValue(number.longValue());
            }
            boolean isUnsigned = number.signum() > 0 && number.compareTo(UNSIGNED_LIMIT) < 0;
            return isUnsigned
                    ? annotation.setUintValue(number.longValue())
                    : annotation.setStringValue(number.toString());
        }
        double nearest = value.doubleValue();
        boolean isSame = value.isDouble()
                || (Double.isFinite(nearest)
                        && new BigDecimal(Double.toString(nearest)).compareTo(value.decimalValue()) == 0);
        return isSame ? annotation.setDoubleValue(nearest) : annotation.setStringValue(value.asText());
    }
}
