package dev.probestream.schema;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Damages bytes as wires and disks do: flipped bits, other bytes, a missing end. */
public final class Mutation {
    private Mutation() {}

    public static byte[] of(byte[] whole, RandomGenerator random) {
        byte[] damaged =
                random.nextInt(4) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length + 1)) : whole.clone();
        for (int changes = random.nextInt(4); changes > 0 && damaged.length > 0; changes--) {
            int at = random.nextInt(damaged.length);
            damaged[at] =
                    random.nextBoolean() ? (byte) random.nextInt() : (byte) (damaged[at] ^ 1 << random.nextInt(8));
        }
        return damaged;
    }
}
