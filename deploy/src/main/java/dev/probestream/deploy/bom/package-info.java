/** The bill of materials of a release (CycloneDX): what Maven does not know of is added, and it is compared with the tree. */
@NullMarked
package dev.probestream.deploy.bom;

import org.jspecify.annotations.NullMarked;
