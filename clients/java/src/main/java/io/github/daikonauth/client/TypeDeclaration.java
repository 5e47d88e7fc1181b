package io.github.daikonauth.client;

import java.util.List;
import java.util.Map;

/**
 * What a service declares about a resource type.
 *
 * @param allowPublic whether resources of the type may be public
 */
public record TypeDeclaration(
    String description,
    boolean allowPublic,
    List<Role> roles,
    List<NamedCondition> conditions,
    List<Requirement> requirements) {
  /**
   * A role that shares and links of the type can name.
   *
   * @param actions {@code view}, {@code edit}, {@code manage} and actions that your service has registered
   */
  public record Role(String name, String description, List<String> actions) {
    public Role(String name, List<String> actions) {
      this(name, "", actions);
    }
  }

  /**
   * A condition that shares, links and requirements of the type can name.
   *
   * @param expression an expression in CEL
   * @param parameters the types of the parameters by name, such as {@code until} and {@code timestamp}
   */
  public record NamedCondition(String name, String description, String expression, Map<String, String> parameters) {
    public NamedCondition(String name, String expression) {
      this(name, "", expression, Map.of());
    }
  }

  /**
   * A condition that must be true for an action, whatever grants it.
   *
   * @param inherited whether it also binds everything that inherits from a resource of the type; the condition is then
   *     judged with that resource
   */
  public record Requirement(String action, String condition, boolean inherited) {
    public Requirement(String action, String condition) {
      this(action, condition, false);
    }
  }

  /** Declares roles only. */
  public static TypeDeclaration ofRoles(Role... roles) {
    return new TypeDeclaration("", false, List.of(roles), List.of(), List.of());
  }
}
