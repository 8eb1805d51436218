/**
 * From the URL of a request to its route: what requests have in common that differ in ids only. Pure: text in, text out.
 */
@NullMarked
package dev.probestream.convert.route;

import org.jspecify.annotations.NullMarked;
