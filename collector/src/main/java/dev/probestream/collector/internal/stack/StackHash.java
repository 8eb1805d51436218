package dev.probestream.collector.internal.stack;

/**
 * Hashes a stack to 64 bits, address by address, with the rounds and the final mix of xxHash64
 * (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) for 8-byte lanes. The probability of a collision among a million
 * stacks is 1 in 37 million.
 */
final class StackHash {
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;

    private StackHash() {}

    static long with(long hash, long address) {
        long round = Long.rotateLeft(address * PRIME_2, 31) * PRIME_1;
        return Long.rotateLeft(hash ^ round, 27) * PRIME_1 + PRIME_4;
    }

    /** Never 0, which stands for no stack. */
    static long finish(long hash) {
        long mixed = hash;
        mixed = (mixed ^ mixed >>> 33) * PRIME_2;
        mixed = (mixed ^ mixed >>> 29) * PRIME_3;
        mixed ^= mixed >>> 32;
        return mixed == 0 ? 1 : mixed;
    }
}
