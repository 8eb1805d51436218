package dev.probestream.convert.request.context;

/** The evidence by which a hit, or a client's request, belongs to a server's request. */
public enum OwnerSource {
    /** The hit is a part of the request itself: its headers, its body, its answer. */
    MESSAGE("message"),
    /** The number that the npm package gave the request. */
    PACKAGE("package"),
    /** The async id of the hit, or its trigger, was created in a callback of the request. */
    ASYNC_ID("asyncid"),
    /** The hit continues a promise that was awaited, or an async function that was called, in the request's handler. */
    PROMISE("promise"),
    /** A function on the stack has the request, or its answer, as a parameter or in a variable. */
    STACK("stack"),
    /** The callback that runs is the one in which the request was read. */
    HANDLER("handler"),
    /** The callback that runs reads the answer to a request that was sent for it. */
    ANSWER("answer"),
    /** The callback that runs reads from a connection of another protocol, on which the request was the last to ask. */
    CONNECTION("connection"),
    /** The callback that runs ends work, such as a file operation, that was submitted for it. */
    WORK("work");

    private final String word;

    OwnerSource(String word) {
        this.word = word;
    }

    /** As the column {@code source} of the tables has it. */
    public String word() {
        return word;
    }
}
