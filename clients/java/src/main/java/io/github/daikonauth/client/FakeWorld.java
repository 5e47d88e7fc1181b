package io.github.daikonauth.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a {@link FakeDaikon} bases its decisions on. Everything is optional. Workspaces and users that appear in members
 * exist without being added. Their IDs, and those of groups, may be any text, such as {@code acme}.
 */
public final class FakeWorld {
  /** A user. */
  public record User(String id, String email, String externalId, boolean isActive, String name) {
    public User(String id, String email, String externalId, boolean isActive) {
      this(id, email, externalId, isActive, "");
    }

    public User(String id, String email) {
      this(id, email, "", true);
    }
  }

  /** A function that stands for the expression of a condition. If it throws, the condition is false. */
  @FunctionalInterface
  public interface ConditionFunction {
    boolean test(ConditionInput input);
  }

  /**
   * What a condition reads, as the variables of an expression on the server.
   *
   * @param resource the resource that is asked about, also if the share is on an ancestor
   * @param subjectId the ID of the user, group or link; empty if there is none
   * @param isGuest whether the user is a guest of the workspace of the resource
   * @param agent the agent that acts for the user; its type and ID are empty if there is none
   */
  public record ConditionInput(
      String subjectId,
      boolean isGuest,
      String action,
      RegisteredResource resource,
      Map<String, Object> context,
      Map<String, Object> params,
      Agent agent) {}

  record Member(String workspaceId, String userId, String role, boolean isGuest, Instant expiresAt) {}

  record Group(String id, String workspaceId, String name, Set<String> members, Set<String> groups) {}

  record CustomRole(
      String name, String workspaceId, List<String> actions, List<String> members, List<String> groups) {}

  record InitialShare(Resource resource, Grantee grantee, Grant grant, Condition condition) {}

  record InitialResource(Registration registration, boolean inherits) {}

  String service = "test";
  String keyService;
  final Map<String, User> users = new LinkedHashMap<>();
  final Map<String, String> workspaces = new LinkedHashMap<>();
  final List<Member> members = new ArrayList<>();
  final Map<String, Group> groups = new LinkedHashMap<>();
  final List<String> actions = new ArrayList<>();
  final List<CustomRole> roles = new ArrayList<>();
  final Map<String, TypeDeclaration> types = new LinkedHashMap<>();
  final Map<String, ConditionFunction> conditions = new HashMap<>();
  final List<InitialResource> resources = new ArrayList<>();
  final List<InitialShare> shares = new ArrayList<>();
  final List<FakeDelegation> delegations = new ArrayList<>();

  /** Sets the service that the client names. The default is {@code test}. */
  public FakeWorld service(String service) {
    this.service = service;
    return this;
  }

  /** Limits the key to one service; operations for others fail with {@code OTHER_SERVICE}. */
  public FakeWorld keyService(String keyService) {
    this.keyService = keyService;
    return this;
  }

  /** Adds a user. */
  public FakeWorld user(User user) {
    users.put(user.id(), user);
    return this;
  }

  /** Adds a workspace with its slug. */
  public FakeWorld workspace(String id, String slug) {
    workspaces.put(id, slug);
    return this;
  }

  /** Adds a member with the role viewer, editor, admin or owner. */
  public FakeWorld member(String workspaceId, String userId, String role) {
    members.add(new Member(workspaceId, userId, role, false, null));
    return this;
  }

  /** Adds a member until a time, which may be past. */
  public FakeWorld member(String workspaceId, String userId, String role, Instant expiresAt) {
    members.add(new Member(workspaceId, userId, role, false, expiresAt));
    return this;
  }

  /** Adds a guest, whose role is viewer. */
  public FakeWorld guest(String workspaceId, String userId) {
    members.add(new Member(workspaceId, userId, "viewer", true, null));
    return this;
  }

  /**
   * Adds a group.
   *
   * @param members the IDs of users
   * @param groups the IDs of groups that it contains
   */
  public FakeWorld group(String id, String workspaceId, String name, List<String> members, List<String> groups) {
    this.groups.put(id, new Group(id, workspaceId, name, Set.copyOf(members), Set.copyOf(groups)));
    return this;
  }

  /** Adds actions that the service has registered, in addition to view, edit and manage. */
  public FakeWorld actions(String... actions) {
    this.actions.addAll(List.of(actions));
    return this;
  }

  /** Adds a custom role. The members of its groups have it, too. */
  public FakeWorld role(
      String name, String workspaceId, List<String> actions, List<String> members, List<String> groups) {
    roles.add(new CustomRole(name, workspaceId, actions, members, groups));
    return this;
  }

  /** Adds what the service has declared about a resource type. */
  public FakeWorld type(String type, TypeDeclaration declaration) {
    types.put(type, declaration);
    return this;
  }

  /** Adds the function for a condition, which stands for its expression: only the server evaluates expressions. */
  public FakeWorld condition(String name, ConditionFunction function) {
    conditions.put(name, function);
    return this;
  }

  /** Adds a resource, after its parent. Its owner must be given by ID. */
  public FakeWorld resource(Registration registration) {
    return resource(registration, true);
  }

  /** Adds a resource that may inherit the grants of its parent or not. */
  public FakeWorld resource(Registration registration, boolean inherits) {
    resources.add(new InitialResource(registration, inherits));
    return this;
  }

  /** Adds a share with a user or group by ID. */
  public FakeWorld share(Resource resource, Grantee grantee, Grant grant) {
    return share(resource, grantee, grant, null);
  }

  /** Adds a share that counts under a condition. */
  public FakeWorld share(Resource resource, Grantee grantee, Grant grant, Condition condition) {
    shares.add(new InitialShare(resource, grantee, grant, condition));
    return this;
  }

  /** Adds a delegation, by which an agent acts for a user. */
  public FakeWorld delegation(FakeDelegation delegation) {
    delegations.add(delegation);
    return this;
  }
}
