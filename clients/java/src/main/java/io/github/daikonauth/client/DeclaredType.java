package io.github.daikonauth.client;

import java.util.Map;

/**
 * A declared resource type.
 *
 * @param uses with {@link Options#dryRun}: what uses the current declaration; otherwise null
 */
public record DeclaredType(String type, TypeDeclaration declaration, Uses uses) {
  /** The number of resources of a type, and of its shares and links by role and by condition. */
  public record Uses(int resources, Map<String, Integer> roles, Map<String, Integer> conditions) {}
}
