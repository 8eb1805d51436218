package dev.probestream.query.result;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One JSON object per row and line. A duplicate column name gets a number, so that no value is lost. */
public final class JsonLinesWriter implements ResultWriter {
    private final JsonGenerator json;
    private final Writer out;
    private String[] names = {};

    /** Does not close {@code out}. */
    public JsonLinesWriter(Writer out) throws IOException {
        this.out = out;
        this.json = JsonFactory.builder()
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                .build()
                .createGenerator(out);
        this.json.setRootValueSeparator(null);
    }

    @Override
    public void begin(List<ResultColumn> columns) {
        Set<String> taken = new HashSet<>();
        names = new String[columns.size()];
        for (int i = 0; i < names.length; i++) {
            String wanted = columns.get(i).name();
            names[i] = wanted;
            for (int next = 2; !taken.add(names[i]); next++) {
                names[i] = wanted + "_" + next;
            }
        }
    }

    @Override
    public void row(@Nullable Object[] values) throws IOException {
        json.writeStartObject();
        for (int i = 0; i < names.length; i++) {
            json.writeFieldName(names[i]);
            value(values[i]);
        }
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void value(@Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                value(element);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> member : map.entrySet()) {
                json.writeFieldName(String.valueOf(member.getKey()));
                value(member.getValue());
            }
            json.writeEndObject();
        } else {
            json.writeString(value.toString());
        }
    }

    /** Values that JSON has no number for, such as NaN, become a text. */
    private void number(Number number) throws IOException {
        if (number instanceof BigInteger large) {
            json.writeNumber(large);
        } else if (number instanceof BigDecimal decimal) {
            json.writeNumber(decimal);
        } else if (number instanceof Double || number instanceof Float) {
            double value = number.doubleValue();
            if (Double.isFinite(value)) {
                json.writeNumber(number instanceof Float ? number.toString() : Double.toString(value));
            } else {
                json.writeString(number.toString());
            }
        } else {
            json.writeNumber(number.longValue());
        }
    }

    @Override
    public void end() throws IOException {
        json.flush();
        out.flush();
    }
}
