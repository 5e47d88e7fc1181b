package io.github.daikonauth.client;

import java.util.Map;

/**
 * A declared resource type.
 *
 * @param uses with {@link Options#dryRun}: what uses the current declaration; otherwise null
 */
public record DeclaredType(String type, TypeDeclaration declaration, Uses uses) {
  /**
   * The number of resources of a type, and of its shares and links by role and by condition.
   *
   * @param resourcesBelow the number of resources that inherit from one of the type, if a requirement of the new
   *     declaration is inherited; otherwise 0
   */
  public record Uses(
      int resources, Map<String, Integer> roles, Map<String, Integer> conditions, int resourcesBelow) {}
}
