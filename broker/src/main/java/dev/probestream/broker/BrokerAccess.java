package dev.probestream.broker;

/** Who may use a broker on this machine. */
public enum BrokerAccess {
    /** Clients that know the secret, which only the user of the broker can read. */
    OWNER,
    /** Every user of this machine: clients need no password, and may read, write and delete everything. */
    EVERYONE
}
