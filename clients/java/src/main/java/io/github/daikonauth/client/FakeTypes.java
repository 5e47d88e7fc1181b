package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.FakeState.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The resource types that a fake has declared. */
final class FakeTypes {
  /** The type that stands for workspaces themselves. */
  static final String WORKSPACE = "workspace";

  /** What a share or link grants. */
  private record Granted(Grant grant, Condition condition) {}

  private final FakeState state;

  FakeTypes(FakeState state) {
    this.state = state;
  }

  /** Replaces the declaration of a type as the server does, or counts what uses the current one. */
  DeclaredType declare(String type, TypeDeclaration declaration, boolean dryRun) {
    requireFree(type);
    List<Field> fields = findViolations(declaration);
    if (!fields.isEmpty()) throw DaikonException.invalid(fields.toArray(Field[]::new));
    boolean isInherited = declaration.requirements().stream().anyMatch(TypeDeclaration.Requirement::inherited);
    if (dryRun) return new DeclaredType(type, declaration, countUses(type, isInherited ? countBelow(type) : 0));
    requireUnused(type, declaration);
    if (declaration.equals(FakeState.UNDECLARED)) state.types.remove(type);
    else state.types.put(type, declaration);
    return new DeclaredType(type, declaration, null);
  }

  void delete(String type) {
    if (!state.types.containsKey(type)) {
      String message = state.world.service + " has not declared " + type;
      throw FakeState.notFound("RESOURCE_TYPE_NOT_FOUND", message);
    }
    requireUnused(type, FakeState.UNDECLARED);
    state.types.remove(type);
  }

  static void requireFree(String type) {
    if (!type.equals(WORKSPACE)) return;
    String message = "must not be workspace, which names the workspaces of daikon";
    throw DaikonException.invalid(new Field("resource_type", message));
  }

  void requireVisibility(String type, Visibility visibility) {
    if (visibility != Visibility.PUBLIC || state.declaration(type).allowPublic()) return;
    String message = "must not be public: the declaration of " + type + " does not allow it";
    throw DaikonException.invalid(new Field("visibility", message));
  }

  /** Requires that a type has a condition with these parameters. The types of values are not checked. */
  void requireCondition(String type, Condition condition) {
    if (condition == null) return;
    TypeDeclaration.NamedCondition declared = find(state.declaration(type), condition.name());
    if (declared == null) {
      String message = "is not a condition of " + type + ": " + condition.name();
      throw DaikonException.invalid(new Field("condition.name", message));
    }
    List<Field> fields = findMisfits(declared, condition);
    if (!fields.isEmpty()) throw DaikonException.invalid(fields.toArray(Field[]::new));
  }

  /** Returns the role of a grant; null for a permission. */
  TypeDeclaration.Role requireRole(String type, Grant grant) {
    if (!(grant instanceof ResourceRole role)) return null;
    return state.declaration(type).roles().stream()
        .filter(declared -> declared.name().equals(role.name()))
        .findFirst()
        .orElseThrow(() -> DaikonException.invalid(
            new Field("role", "is not a role of " + type + ": " + role.name())));
  }

  private static TypeDeclaration.NamedCondition find(TypeDeclaration declaration, String name) {
    for (TypeDeclaration.NamedCondition declared : declaration.conditions())
      if (declared.name().equals(name)) return declared;
    return null;
  }

  private static List<Field> findMisfits(TypeDeclaration.NamedCondition declared, Condition condition) {
    List<Field> fields = new ArrayList<>();
    for (String name : condition.params().keySet())
      if (!declared.parameters().containsKey(name))
        fields.add(new Field("condition.params." + name, "is not a parameter of the condition"));
    for (String name : declared.parameters().keySet())
      if (!condition.params().containsKey(name))
        fields.add(new Field("condition.params." + name, "is required"));
    return fields;
  }

  private List<Field> findViolations(TypeDeclaration declaration) {
    Set<String> actions = new HashSet<>(AccessRules.BUILT_IN);
    actions.addAll(state.actions);
    String unknown = "is not an action that " + state.world.service + " has registered";
    List<Field> fields = new ArrayList<>();
    for (int index = 0; index < declaration.roles().size(); index += 1) {
      List<String> named = declaration.roles().get(index).actions();
      for (int position = 0; position < named.size(); position += 1)
        if (!actions.contains(named.get(position)))
          fields.add(new Field("roles[" + index + "].actions[" + position + "]", unknown));
    }
    for (int index = 0; index < declaration.requirements().size(); index += 1) {
      TypeDeclaration.Requirement requirement = declaration.requirements().get(index);
      String field = "requirements[" + index + "]";
      if (!actions.contains(requirement.action())) fields.add(new Field(field + ".action", unknown));
      TypeDeclaration.NamedCondition declared = find(declaration, requirement.condition());
      if (declared == null)
        fields.add(new Field(field + ".condition", "is not a condition of the declaration"));
      else if (!declared.parameters().isEmpty())
        fields.add(new Field(field + ".condition", "must not have parameters"));
    }
    return fields;
  }

  private void requireUnused(String type, TypeDeclaration declared) {
    Set<String> roles = new HashSet<>();
    declared.roles().forEach(role -> roles.add(role.name()));
    for (Granted granted : grantsOf(type))
      if (granted.grant() instanceof ResourceRole role && !roles.contains(role.name()))
        throw inUse("ROLE_IN_USE", "Shares or links use roles that the declaration would remove: " + role.name());
    for (Granted granted : grantsOf(type)) {
      Condition condition = granted.condition();
      if (condition == null) continue;
      TypeDeclaration.NamedCondition known = find(declared, condition.name());
      if (known == null || !findMisfits(known, condition).isEmpty())
        throw inUse("CONDITION_IN_USE", "Shares or links use conditions that the declaration would remove, or whose "
            + "parameters would not fit: " + condition.name());
    }
    boolean isPublic = entriesOf(type).stream().anyMatch(entry -> entry.visibility == Visibility.PUBLIC);
    if (isPublic && !declared.allowPublic()) throw inUse("PUBLIC_RESOURCES", "Resources of the type are public");
  }

  private static DaikonException inUse(String reason, String message) {
    return DaikonException.of(Code.ALREADY_EXISTS, reason, message);
  }

  /** Returns the number of resources that inherit from a resource of a type. */
  private int countBelow(String type) {
    return (int) state.resources.values().stream()
        .filter(entry -> entry.reached().stream()
            .anyMatch(above -> above != entry && above.resource.type().equals(type)))
        .count();
  }

  private DeclaredType.Uses countUses(String type, int resourcesBelow) {
    Map<String, Integer> roles = new HashMap<>();
    Map<String, Integer> conditions = new HashMap<>();
    state.declaration(type).roles().forEach(role -> roles.put(role.name(), 0));
    state.declaration(type).conditions().forEach(condition -> conditions.put(condition.name(), 0));
    for (Granted granted : grantsOf(type)) {
      if (granted.grant() instanceof ResourceRole role) roles.merge(role.name(), 1, Integer::sum);
      if (granted.condition() != null) conditions.merge(granted.condition().name(), 1, Integer::sum);
    }
    return new DeclaredType.Uses(entriesOf(type).size(), roles, conditions, resourcesBelow);
  }

  private List<Entry> entriesOf(String type) {
    return state.resources.values().stream().filter(entry -> entry.resource.type().equals(type)).toList();
  }

  private List<Granted> grantsOf(String type) {
    List<Granted> grants = new ArrayList<>();
    for (Entry entry : entriesOf(type)) {
      for (Share share : entry.shares) grants.add(new Granted(share.grant(), share.condition()));
      for (NewLink link : entry.links) grants.add(new Granted(link.link().grant(), link.link().condition()));
    }
    return grants;
  }
}
