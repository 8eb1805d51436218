package dev.probestream.collector.catalog;

/**
 * Whether the functions of a process's JavaScript are named from its memory, which needs no flag of Node.js.
 *
 * @param version of V8; "" where it is not known
 * @param obstacle why functions cannot be named from the memory; "" = they are
 * @param asyncObstacle why the functions that await the running one are not known; "" = they are
 */
public record JavaScriptNaming(String version, String obstacle, String asyncObstacle) {
    /**
     * Neither are functions named nor are async callers known, for one reason.
     *
     * @param version of V8; "" where it is not known
     * @param obstacle why
     * @return the description
     */
    public static JavaScriptNaming refused(String version, String obstacle) {
        return new JavaScriptNaming(version, obstacle, obstacle);
    }
}
