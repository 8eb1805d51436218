package dev.probestream.collector.internal.v8.layout;

/**
 * Where objects have their properties, in bytes; from symbols {@code v8dbg_*}. A Map has an array of descriptors: of each property its
 * name, its details and a value. The details of one that is a field have its number: the first are in the object itself.
 *
 * @param descriptors in a Map: its DescriptorArray
 * @param prototype in a Map: that of the objects, {@link #PROTOTYPE}
 * @param bitField3 in a Map: a u32 that has the number of its own descriptors, {@link #descriptorCount}
 * @param inObjectStart in a Map: a byte, where the first field is in the object, in words
 * @param sizeInWords in a Map: a byte, the size of the object
 * @param firstDescriptor in a DescriptorArray
 * @param outOfObject in an object: the PropertyArray with further fields
 * @param symbol the instance type of a symbol
 * @param symbolDescription in a Symbol: a string, or undefined
 * @param apiObject the instance type of an object with fields of C++
 * @param firstInternalField in such an object
 * @param array the instance type of an Array
 * @param elements in any object: the FixedArray with what an Array holds
 */
public record V8Properties(
        int descriptors,
        int prototype,
        int bitField3,
        int inObjectStart,
        int sizeInWords,
        int firstDescriptor,
        int outOfObject,
        int symbol,
        int symbolDescription,
        int apiObject,
        int firstInternalField,
        int array,
        int elements) {
    public static final int WORD_BYTES = 8;

    /** Of a descriptor: name, details, value. */
    public static final int DESCRIPTOR_BYTES = 3 * WORD_BYTES;

    /** Map::Bits3::NumberOfOwnDescriptorsBits (v8/src/objects/map.tq): behind the 10 bits of EnumLength; the same in V8 10.2 to 14.1. */
    private static final int COUNT_SHIFT = 10;

    private static final int COUNT_MASK = (1 << 10) - 1;

    // Of the details, a Smi (v8/src/objects/property-details.h).
    private static final int KIND_MASK = 1;
    private static final int LOCATION_SHIFT = 5;
    private static final int INDEX_MASK = 0x1ff80000;
    private static final int INDEX_SHIFT = 19;

    /** In a Map; src/main/bpf/v8_served_search.h has it as MAP_PROTOTYPE. */
    private static final int PROTOTYPE = 24;

    /** In a PropertyArray, behind its map and length: the first field that is not in the object. */
    public static final int FIRST_OUT_OF_OBJECT = 2 * WORD_BYTES;

    /**
     * Reads the layout.
     *
     * @throws V8LayoutException if it is another than the known one; the message is a reason for the user
     */
    public static V8Properties read(V8Symbols symbols) throws V8LayoutException {
        expect(symbols, "prop_desc_details", 1);
        expect(symbols, "prop_desc_size", DESCRIPTOR_BYTES / WORD_BYTES);
        expect(symbols, "prop_kind_mask", KIND_MASK);
        expect(symbols, "prop_location_shift", LOCATION_SHIFT);
        expect(symbols, "prop_index_mask", INDEX_MASK);
        expect(symbols, "prop_index_shift", INDEX_SHIFT);
        int prototype = symbols.field("Map", "prototype");
        if (prototype != PROTOTYPE) {
            throw new V8LayoutException("the properties of objects of V8 " + symbols.version()
                    + " cannot be read: the prototype is at " + prototype + " of a Map instead of " + PROTOTYPE);
        }
        return new V8Properties(
                symbols.field("Map", "instance_descriptors"),
                prototype,
                symbols.field("Map", "bit_field3"),
                symbols.field("Map", "inobject_properties_start_or_constructor_function_index"),
                symbols.field("Map", "instance_size_in_words"),
                symbols.field("DescriptorArray", "header_size"),
                symbols.field("JSReceiver", "raw_properties_or_hash"),
                symbols.type("Symbol"),
                symbols.field("Symbol", "description", "name"),
                symbols.required("APIObjectType"),
                symbols.field("JSObject", "internal_fields"),
                symbols.type("JSArray"),
                symbols.field("JSObject", "elements"));
    }

    private static void expect(V8Symbols symbols, String name, int value) throws V8LayoutException {
        int found = symbols.required(name);
        if (found != value) {
            throw new V8LayoutException("the properties of objects of V8 " + symbols.version()
                    + " cannot be read: v8dbg_" + name + " is " + found + " instead of " + value);
        }
    }

    /** The number of descriptors that are the Map's own, of its bit field. */
    public static int descriptorCount(int bitField3) {
        return bitField3 >>> COUNT_SHIFT & COUNT_MASK;
    }

    /** Whether details are those of a field, and not of an accessor or a constant. */
    public static boolean isField(int details) {
        return (details & KIND_MASK) == 0 && (details >>> LOCATION_SHIFT & 1) == 0;
    }

    /** The number of a field, from the details of its property. */
    public static int fieldIndex(int details) {
        return (details & INDEX_MASK) >>> INDEX_SHIFT;
    }
}
