/** Tests of the tree that is installed, and of its launcher. */
@NullMarked
package dev.probestream.deploy.tree;

import org.jspecify.annotations.NullMarked;
