/** The Debian package: what is in it, and that it can be made again. Real tools, on a small tree of the installed layout. */
@NullMarked
package dev.probestream.deploy.deb;

import org.jspecify.annotations.NullMarked;
