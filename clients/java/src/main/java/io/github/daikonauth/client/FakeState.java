package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.FakeWorld.Group;
import io.github.daikonauth.client.FakeWorld.User;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a fake knows. */
final class FakeState {
  static final TypeDeclaration UNDECLARED =
      new TypeDeclaration("", false, List.of(), List.of(), List.of());

  private static final Pattern EMAIL =
      Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

  /** A registered resource. */
  static final class Entry {
    final Resource resource;
    final String resourceId;
    final String workspaceId;
    final Instant createdAt = Instant.now();
    String ownerId;
    Visibility visibility;
    Entry parent;
    boolean inherits = true;
    Map<String, Object> attributes;
    String displayName;
    List<Share> shares = new ArrayList<>();
    List<NewLink> links = new ArrayList<>();

    Entry(Resource resource, String resourceId, String workspaceId) {
      this.resource = resource;
      this.resourceId = resourceId;
      this.workspaceId = workspaceId;
    }

    /** Returns the resource and the ancestors that it inherits from. */
    List<Entry> reached() {
      List<Entry> reached = new ArrayList<>();
      for (Entry entry = this; entry != null; entry = entry.inherits ? entry.parent : null) reached.add(entry);
      return reached;
    }

    RegisteredResource view() {
      return new RegisteredResource(
          resource.type(),
          resource.id(),
          resourceId,
          workspaceId,
          ownerId,
          visibility,
          parent == null ? null : new ResourceReference(parent.resource.type(), parent.resourceId),
          inherits,
          attributes,
          displayName,
          createdAt,
          shares.stream().filter(share -> isCurrent(share.expiresAt())).toList(),
          null,
          null,
          List.of());
    }

    /** Returns how far this resource is below another one; 0 if it is not. */
    int depthBelow(Entry above) {
      int depth = 1;
      for (Entry current = parent; current != null; current = current.parent) {
        if (current == above) return depth;
        depth += 1;
      }
      return 0;
    }
  }

  /**
   * A delegation.
   *
   * @param resources those that it covers; null for all
   */
  record Delegated(FakeDelegation delegation, String service, List<Entry> resources) {}

  final FakeWorld world;
  final Map<String, TypeDeclaration> types = new LinkedHashMap<>();
  final Set<String> actions;
  final Map<String, Delegated> delegations = new LinkedHashMap<>();
  Map<String, Entry> resources = new LinkedHashMap<>();

  /** @throws IllegalArgumentException if the world refers to something that it does not contain */
  FakeState(FakeWorld world) {
    this.world = world;
    actions = new LinkedHashSet<>(world.actions);
    for (FakeWorld.Member member : world.members) {
      world.workspaces.putIfAbsent(member.workspaceId(), "");
      world.users.putIfAbsent(member.userId(), new User(member.userId(), ""));
    }
    types.putAll(world.types);
    for (FakeWorld.InitialResource initial : world.resources) addResource(initial);
    for (FakeWorld.InitialShare share : world.shares) addShare(share);
    for (FakeDelegation delegation : world.delegations) addDelegation(delegation);
  }

  private void addDelegation(FakeDelegation delegation) {
    String id = delegation.id;
    boolean isMember = world.members.stream().anyMatch(member ->
        member.workspaceId().equals(delegation.workspaceId) && member.userId().equals(delegation.userId));
    require(isMember, "the user of the delegation " + id + " is no member");
    boolean isLimited =
        delegation.actions != null || delegation.resourceTypes != null || delegation.resources != null;
    require(isLimited, "the delegation " + id + " needs actions, resource types or resources");
    List<Entry> covered = delegation.resources == null ? null : new ArrayList<>();
    if (covered != null)
      for (Resource resource : delegation.resources) {
        Entry found = find(resource);
        require(found != null, "a resource of the delegation " + id + " is missing: " + resource);
        covered.add(found);
      }
    String service = delegation.service == null ? world.service : delegation.service;
    delegations.put(id, new Delegated(delegation, service, covered));
  }

  private void addResource(FakeWorld.InitialResource initial) {
    Registration registration = initial.registration();
    Resource resource = registration.resource();
    require(roleOf(registration.workspaceId(), registration.ownerId()) != null, "the owner of " + resource + " is no member");
    Entry entry = new Entry(resource, idOf(resource), registration.workspaceId());
    entry.ownerId = registration.ownerId();
    entry.visibility = registration.visibility() == null ? Visibility.PRIVATE : registration.visibility();
    entry.inherits = initial.inherits();
    entry.attributes = copyOf("attributes", registration.attributes());
    entry.displayName = registration.displayName();
    if (registration.parent() != null) {
      entry.parent = find(registration.parent());
      require(entry.parent != null, "add the parent of " + resource + " before it");
    }
    resources.put(keyOf(resource), entry);
  }

  /** Returns a resource with the names of its owner and grantees, and with what it inherits. */
  RegisteredResource viewComplete(Entry entry) {
    List<Ancestor> ancestors = new ArrayList<>();
    for (Entry current = entry; current.parent != null && current.inherits; ) {
      current = current.parent;
      ancestors.add(viewAncestor(current));
    }
    RegisteredResource found = entry.view();
    Ancestor named = viewAncestor(entry);
    return new RegisteredResource(
        found.type(), found.id(), found.resourceId(), found.workspaceId(), found.ownerId(), found.visibility(),
        found.parent(), found.inherits(), found.attributes(), found.displayName(), found.createdAt(), named.shares(),
        named.ownerName(), named.ownerEmail(), List.copyOf(ancestors));
  }

  private Ancestor viewAncestor(Entry entry) {
    RegisteredResource found = entry.view();
    User owner = world.users.get(found.ownerId());
    return new Ancestor(
        found.type(), found.id(), found.resourceId(), found.displayName(), found.ownerId(), textOf(owner.name()),
        textOf(owner.email()), found.visibility(), found.shares().stream().map(this::withNames).toList());
  }

  private Share withNames(Share share) {
    User user = share.grantee() instanceof Grantee.UserId named ? world.users.get(named.userId()) : null;
    Group group = share.grantee() instanceof Grantee.GroupId named ? world.groups.get(named.groupId()) : null;
    String name = user != null ? user.name() : group != null ? group.name() : "";
    return new Share(
        share.id(), share.grantee(), share.grant(), share.grantedBy(), share.grantedAt(), share.expiresAt(),
        share.condition(), textOf(name), user == null ? null : textOf(user.email()));
  }

  private static String textOf(String text) {
    return text.isEmpty() ? null : text;
  }

  private void addShare(FakeWorld.InitialShare share) {
    Entry entry = find(share.resource());
    require(entry != null, "the resource of a share is missing: " + share.resource());
    if (share.grantee() instanceof Grantee.GroupId group)
      require(world.groups.containsKey(group.groupId()), "the group of a share is missing: " + group);
    String id = "share-" + (entry.shares.size() + 1);
    entry.shares.add(
        new Share(id, share.grantee(), share.grant(), entry.ownerId, Instant.now(), null, share.condition(), null, null));
  }

  private static void require(boolean isValid, String message) {
    if (!isValid) throw new IllegalArgumentException(message);
  }

  String idOf(Resource resource) {
    return ResourceIds.of(world.service, resource);
  }

  String keyOf(Resource resource) {
    return resource.type() + " " + idOf(resource);
  }

  Entry find(Resource resource) {
    return resources.get(keyOf(resource));
  }

  TypeDeclaration declaration(String type) {
    return types.getOrDefault(type, UNDECLARED);
  }

  /** Returns the role of a user in a workspace; null if the user is not a member. */
  String roleOf(String workspaceId, String userId) {
    FakeWorld.Member member = memberOf(workspaceId, userId);
    return member == null ? null : member.role();
  }

  /** Whether a user is a guest of a workspace. */
  boolean isGuest(String workspaceId, String userId) {
    FakeWorld.Member member = memberOf(workspaceId, userId);
    return member != null && member.isGuest();
  }

  private FakeWorld.Member memberOf(String workspaceId, String userId) {
    for (FakeWorld.Member member : world.members)
      if (member.workspaceId().equals(workspaceId) && member.userId().equals(userId))
        return isCurrent(member.expiresAt()) ? member : null;
    return null;
  }

  /**
   * Finds a user as the server does: the form of a name decides whether it is an ID, an e-mail address or an external
   * ID. Tests may also use IDs that are not UUIDs.
   */
  User findUser(String name) {
    for (User user : world.users.values()) {
      boolean matches;
      if (ResourceIds.isUuid(name)) matches = user.id().equalsIgnoreCase(name);
      else if (EMAIL.matcher(name.trim()).matches()) matches = user.email().equalsIgnoreCase(name.trim());
      else matches = user.externalId().equals(name) || user.id().equals(name);
      if (matches) return user;
    }
    return null;
  }

  String findByEmail(String email) {
    for (User user : world.users.values()) if (user.email().equalsIgnoreCase(email.trim())) return user.id();
    return "";
  }

  String findByExternalId(String externalId) {
    for (User user : world.users.values()) if (user.externalId().equals(externalId)) return user.id();
    return "";
  }

  /** Returns the groups that contain a user, directly or through other groups, or a group itself. */
  Set<String> groupsOf(String id) {
    Set<String> found = new LinkedHashSet<>();
    for (Group group : world.groups.values())
      if (group.members().contains(id) || group.id().equals(id)) found.add(group.id());
    for (int size = -1; size != found.size(); ) {
      size = found.size();
      for (Group group : world.groups.values())
        if (group.groups().stream().anyMatch(found::contains)) found.add(group.id());
    }
    return found;
  }

  /** Whether an active guest is in a group of a workspace, directly or through other groups. */
  boolean hasGuest(String workspaceId, String groupId) {
    return world.groups.values().stream()
        .filter(group -> groupsOf(group.id()).contains(groupId))
        .flatMap(group -> group.members().stream())
        .anyMatch(userId -> isGuest(workspaceId, userId) && world.users.get(userId).isActive());
  }

  String findWorkspace(String name) {
    if (world.workspaces.containsKey(name)) return name;
    for (Map.Entry<String, String> workspace : world.workspaces.entrySet())
      if (workspace.getValue().equals(name)) return workspace.getKey();
    return null;
  }

  static boolean isCurrent(Instant expiresAt) {
    return expiresAt == null || expiresAt.isAfter(Instant.now());
  }

  /** Returns an object as JSON has it. */
  static Map<String, Object> copyOf(String field, Map<String, ?> object) {
    return object == null ? Map.of() : Json.toMap(Json.toStruct(field, object));
  }

  static DaikonException notFound(String reason, String message) {
    return DaikonException.of(Code.NOT_FOUND, reason, message);
  }
}
