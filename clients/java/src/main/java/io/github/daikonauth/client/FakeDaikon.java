package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.FakeState.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A daikon for tests, which needs no server. It decides in memory by the same rules as the server, and keeps what tests
 * register, share and revoke. It has no API keys, and no watch.
 *
 * <pre>{@code
 * FakeDaikon fake = new FakeDaikon(new FakeWorld()
 *     .member("w", "alice", "viewer")
 *     .resource(Registration.of("document", "roadmap").workspaceId("w").ownerId("alice")));
 * String token = fake.token("alice", "w");
 * }</pre>
 */
public final class FakeDaikon implements Daikon {
  private static final int MAX_CHAIN_LENGTH = 32;

  private final FakeState state;
  private final FakeRights rights;
  private final FakeTypes types;
  private DaikonException failure;
  private boolean isClosed;

  /** Creates a fake. */
  public FakeDaikon(FakeWorld world) {
    state = new FakeState(world);
    rights = new FakeRights(state);
    types = new FakeTypes(state);
  }

  /** Creates an access token that this fake accepts for 15 minutes. */
  public String token(String userId, String workspaceId) {
    return token(userId, workspaceId, Duration.ofMinutes(15));
  }

  /** Creates an access token that this fake accepts. Its lifetime may be negative. */
  public String token(String userId, String workspaceId, Duration lifetime) {
    return Tokens.createFake(userId, workspaceId, lifetime);
  }

  /** Makes the fake treat a token as revoked. */
  public synchronized void revokeToken(String token) {
    rights.revoked.add(token);
  }

  /** Makes every operation fail with an error; null ends that. */
  public synchronized void failWith(DaikonException error) {
    failure = error;
  }

  private synchronized <T> T run(Supplier<T> operation) {
    if (isClosed) throw Connection.closedError();
    if (failure != null) throw failure;
    return operation.get();
  }

  private Explanation decideFor(
      FakeSubject subject, Resource resource, String action, Map<String, Object> context) {
    if (resource.type().equals(FakeTypes.WORKSPACE))
      return FakeDecision.decideWorkspace(state, subject, action, state.findWorkspace(resource.id()));
    return new FakeDecision(state, subject, action, state.find(resource), context).decide();
  }

  private Explanation explain(Check check, Map<String, ?> context) {
    Arguments.requireAction(check.action());
    Arguments.requireResource(check.resource());
    rights.requireOwnService();
    FakeSubject subject = FakeSubject.find(state, check.subject(), rights.revoked);
    Map<String, Object> input = FakeState.copyOf("context", check.context() == null ? context : check.context());
    return decideFor(subject, check.resource(), check.action(), input);
  }

  @Override
  public boolean check(Subject subject, String action, Resource resource, Options.ForCheck... options) {
    return explain(subject, action, resource, options).allowed();
  }

  @Override
  public CompletableFuture<Boolean> checkAsync(
      Subject subject, String action, Resource resource, Options.ForCheck... options) {
    try {
      return CompletableFuture.completedFuture(check(subject, action, resource, options));
    } catch (InvalidArgumentException error) {
      throw error;
    } catch (DaikonException error) {
      return CompletableFuture.failedFuture(error);
    }
  }

  @Override
  public List<Boolean> checkMany(List<Check> checks, Options.ForCheck... options) {
    Settings settings = Settings.read(options);
    return run(() -> checks.stream().map(check -> explain(check, settings.context).allowed()).toList());
  }

  @Override
  public Explanation explain(
      Subject subject, String action, Resource resource, Options.ForCheck... options) {
    Settings settings = Settings.read(options);
    return run(() -> explain(new Check(subject, action, resource), settings.context));
  }

  @Override
  public Stream<String> accessible(
      Subject subject, String action, String type, Options.ForAccessible... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      if (settings.workspaceId != null) requireUuid("context.workspace_id", settings.workspaceId);
      FakeSubject found = FakeSubject.find(state, subject, rights.revoked);
      Arguments.requireAction(action);
      Arguments.requireType(type);
      rights.requireOwnService();
      Map<String, Object> context = FakeState.copyOf("context", settings.context);
      List<String> ids = new ArrayList<>();
      if (type.equals(FakeTypes.WORKSPACE)) {
        for (String id : state.world.workspaces.keySet())
          if (isIn(settings, id) && opens(found, decideFor(found, new Resource(type, id), action, context)))
            ids.add(id);
        return ids.stream();
      }
      for (Entry entry : state.resources.values()) {
        if (!entry.resource.type().equals(type) || !isIn(settings, entry.workspaceId)) continue;
        FakeDecision decision = new FakeDecision(state, found, action, entry, context);
        boolean isListed = found.kind().equals("anonymous") || decision.isMember();
        if (isListed && opens(found, decision.decide())) ids.add(entry.resource.id());
      }
      return ids.stream();
    });
  }

  private static boolean isIn(Settings settings, String workspaceId) {
    return settings.workspaceId == null || settings.workspaceId.equals(workspaceId);
  }

  /** Whether a search for a subject lists a resource. What is only public is listed for anyone alone. */
  private static boolean opens(FakeSubject subject, Explanation explanation) {
    if (!explanation.allowed() || !subject.isLink()) return explanation.allowed();
    return explanation.reasons().stream().anyMatch(reason -> reason.rule().equals("link"));
  }

  @Override
  public Stream<String> subjects(String action, Resource resource, Options.ForSubjects... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Arguments.requireAction(action);
      Arguments.requireResource(resource);
      rights.requireOwnService();
      Map<String, Object> context = FakeState.copyOf("context", settings.context);
      Entry found = state.find(resource);
      List<String> names = new ArrayList<>();
      for (FakeSubject subject : candidates(resource, found, settings.listsGroups)) {
        boolean isMember =
            found == null || new FakeDecision(state, subject, action, found, context).isMember();
        if (isMember && decideFor(subject, resource, action, context).allowed()) names.add(nameOf(subject));
      }
      return names.stream().sorted();
    });
  }

  private List<FakeSubject> candidates(Resource resource, Entry found, boolean listsGroups) {
    String workspaceId = resource.type().equals(FakeTypes.WORKSPACE)
        ? state.findWorkspace(resource.id())
        : found == null ? null : found.workspaceId;
    if (workspaceId == null) return List.of();
    if (!listsGroups)
      return state.world.users.keySet().stream().map(id -> FakeSubject.ofUser(state, id, null)).toList();
    return state.world.groups.values().stream()
        .filter(group -> group.workspaceId().equals(workspaceId))
        .map(group -> FakeSubject.ofGroup(state, group.id()))
        .toList();
  }

  /** Returns how a search names a user or group: by external_id, if that cannot be another name. */
  private static String nameOf(FakeSubject subject) {
    String external = subject.externalId();
    boolean isExternal = !external.isEmpty() && !ResourceIds.isUuid(external) && !external.contains("@");
    return isExternal ? external : subject.id();
  }

  @Override
  public RegisteredResource register(Registration registration, Options.ForAny... options) {
    return run(() -> register(registration).view());
  }

  private Entry register(Registration registration) {
    Resource resource = Arguments.requireResource(registration.resource());
    rights.requireOwnService();
    FakeTypes.requireFree(resource.type());
    String workspaceId = Arguments.require("workspaceId", registration.workspaceId());
    requireUuid("workspace_id", workspaceId);
    String field = "owner_id";
    String ownerId = registration.ownerId();
    if (ownerId != null) {
      requireUuid(field, ownerId);
    } else if (registration.ownerEmail() != null) {
      field = "owner_email";
      ownerId = state.findByEmail(registration.ownerEmail());
    } else if (registration.ownerExternalId() != null) {
      field = "owner_external_id";
      ownerId = state.findByExternalId(registration.ownerExternalId());
    } else {
      throw DaikonException.invalid(new Field("ownerId", "is required, or ownerEmail or ownerExternalId"));
    }
    Entry known = state.find(resource);
    if (known != null) {
      if (known.workspaceId.equals(workspaceId) && known.ownerId.equals(ownerId)) return known;
      String message = "The resource is registered with another workspace or owner";
      throw DaikonException.of(Code.ALREADY_EXISTS, "RESOURCE_REGISTERED", message);
    }
    if (!state.world.workspaces.containsKey(workspaceId))
      throw FakeState.notFound("WORKSPACE_NOT_FOUND", "Workspace not found");
    requireMember(field, workspaceId, ownerId);
    Entry entry = new Entry(resource, state.idOf(resource), workspaceId);
    entry.ownerId = ownerId;
    entry.visibility = registration.visibility() == null ? Visibility.PRIVATE : registration.visibility();
    types.requireVisibility(resource.type(), entry.visibility);
    if (registration.parent() != null) entry.parent = requireParent(workspaceId, registration.parent());
    entry.attributes = FakeState.copyOf("attributes", registration.attributes());
    entry.displayName = registration.displayName();
    state.resources.put(state.keyOf(resource), entry);
    return entry;
  }

  private void requireMember(String field, String workspaceId, String userId) {
    if (state.roleOf(workspaceId, userId) == null)
      throw DaikonException.invalid(new Field(field, "must be a member of the workspace"));
  }

  private Entry requireParent(String workspaceId, Resource parent) {
    Entry found = state.find(parent);
    if (found != null && found.workspaceId.equals(workspaceId)) return found;
    String message = "must be a resource of the same service and workspace";
    throw DaikonException.invalid(new Field("parent", message));
  }

  private static void requireUuid(String field, String value) {
    if (!ResourceIds.isUuid(value)) throw DaikonException.invalid(new Field(field, "must be a UUID"));
  }

  @Override
  public List<RegisteredResource> registerMany(List<Registration> registrations, Options.ForAny... options) {
    return run(() -> {
      Map<String, Entry> before = new LinkedHashMap<>(state.resources);
      Runnable undo = () -> state.resources = before;
      return readAll("resources", registrations, this::register, undo).stream().map(Entry::view).toList();
    });
  }

  /** Reads all items or none. Prefixes the fields of errors with the list and the index. */
  private static <T, R> List<R> readAll(String list, List<T> items, Function<T, R> read, Runnable undo) {
    List<R> results = new ArrayList<>();
    List<Field> fields = new ArrayList<>();
    for (int index = 0; index < items.size(); index += 1) {
      try {
        results.add(read.apply(items.get(index)));
      } catch (InvalidArgumentException error) {
        for (Field field : error.fields())
          fields.add(new Field(list + "[" + index + "]." + field.field(), field.message()));
      } catch (DaikonException error) {
        undo.run();
        throw error;
      }
    }
    if (fields.isEmpty()) return results;
    undo.run();
    throw DaikonException.invalid(fields.toArray(Field[]::new));
  }

  @Override
  public RegisteredResource get(Resource resource, Options.ForAny... options) {
    return run(() -> rights.requireResource(resource).view());
  }

  @Override
  public List<Share> shares(Resource resource, Options.ForAny... options) {
    return get(resource, options).shares();
  }

  @Override
  public void unregister(Resource resource, Options.ForUnregister... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      state.resources.values().removeIf(
          other -> other == found || settings.cascade && other.depthBelow(found) > 0);
      for (Entry child : state.resources.values()) if (child.parent == found) child.parent = null;
      return null;
    });
  }

  @Override
  public Share share(Resource resource, Grantee grantee, Grant grant, Options.ForShare... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      requireGrant(grant);
      rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      return grant(found, new NewShare(resource, grantee, grant, settings.expiresAt, settings.condition), settings);
    });
  }

  private static Grant requireGrant(Grant grant) {
    if (grant != null) return grant;
    throw DaikonException.invalid(new Field("permission", "must be VIEW, EDIT or a ResourceRole"));
  }

  /** Checks what a share or link grants. Returns whether that contains manage. */
  private boolean readGrant(String type, Grant grant, Instant expiresAt, Condition condition) {
    requireGrant(grant);
    if (!FakeState.isCurrent(expiresAt))
      throw DaikonException.invalid(new Field("expires_at", "must be in the future"));
    TypeDeclaration.Role role = types.requireRole(type, grant);
    types.requireCondition(type, condition);
    return role != null && role.actions().contains("manage");
  }

  private static Condition copyOf(Condition condition) {
    if (condition == null) return null;
    return new Condition(condition.name(), FakeState.copyOf("condition.params", condition.params()));
  }

  private Share grant(Entry entry, NewShare share, Settings settings) {
    boolean manages = readGrant(entry.resource.type(), share.grant(), share.expiresAt(), share.condition());
    if (manages) rights.requireOwnership(entry, settings);
    Grantee grantee = findGrantee(entry, share.grantee());
    if (!isIn(entry, grantee))
      throw FakeState.notFound("GRANTEE_NOT_FOUND", "No such user or group in the workspace");
    Share known = entry.shares.stream().filter(other -> other.grantee().equals(grantee)).findFirst().orElse(null);
    // A service that shares without a user does so for the owner.
    String grantedBy = settings.token == null ? entry.ownerId : rights.requireUser(settings.token).subject();
    Share granted = new Share(
        known == null ? UUID.randomUUID().toString() : known.id(),
        grantee,
        share.grant(),
        grantedBy,
        Instant.now(),
        share.expiresAt(),
        copyOf(share.condition()));
    entry.shares = new ArrayList<>(entry.shares);
    entry.shares.remove(known);
    entry.shares.add(granted);
    return granted;
  }

  /** Returns the user or group that a grantee names, by ID; the ID is empty if there is none. */
  private Grantee findGrantee(Entry entry, Grantee grantee) {
    if (grantee instanceof Grantee.Email email) return Grantee.userId(state.findByEmail(email.email()));
    if (grantee instanceof Grantee.ExternalId external)
      return Grantee.userId(state.findByExternalId(external.externalId()));
    if (grantee instanceof Grantee.Group named) {
      for (FakeWorld.Group group : state.world.groups.values())
        if (group.workspaceId().equals(entry.workspaceId) && group.name().equals(named.group().trim()))
          return Grantee.groupId(group.id());
      return Grantee.groupId("");
    }
    if (grantee instanceof Grantee.UserId user) requireUuid("grantee_id", user.userId());
    else if (grantee instanceof Grantee.GroupId group) requireUuid("grantee_id", group.groupId());
    else throw DaikonException.invalid(new Field("grantee", "is required"));
    return grantee;
  }

  private boolean isIn(Entry entry, Grantee grantee) {
    if (grantee instanceof Grantee.UserId user) return state.roleOf(entry.workspaceId, user.userId()) != null;
    FakeWorld.Group group = state.world.groups.get(((Grantee.GroupId) grantee).groupId());
    return group != null && group.workspaceId().equals(entry.workspaceId);
  }

  @Override
  public List<Share> shareMany(List<NewShare> shares, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Map<Entry, List<Share>> before = new HashMap<>();
      for (NewShare share : shares) {
        Entry entry = state.find(share.resource());
        if (entry != null) before.put(entry, entry.shares);
      }
      Set<String> named = new HashSet<>();
      return readAll("shares", shares, share -> grantItem(share, settings, named),
          () -> before.forEach((entry, kept) -> entry.shares = kept));
    });
  }

  private Share grantItem(NewShare share, Settings settings, Set<String> named) {
    Arguments.requireResource(share.resource());
    rights.requireOwnService();
    if (state.find(share.resource()) == null)
      throw DaikonException.invalid(new Field("resource_id", "is not a registered resource"));
    Entry entry = rights.requireManageable(share.resource(), settings);
    Grantee grantee = findGrantee(entry, share.grantee());
    String field = "grantee_id";
    if (share.grantee() instanceof Grantee.Email) field = "grantee_email";
    else if (share.grantee() instanceof Grantee.ExternalId) field = "grantee_external_id";
    else if (share.grantee() instanceof Grantee.Group) field = "group_name";
    if (!isIn(entry, grantee))
      throw DaikonException.invalid(new Field(field, "is not in the workspace of the resource"));
    if (!named.add(entry.resourceId + " " + grantee))
      throw DaikonException.invalid(new Field(field, "is duplicated"));
    return grant(entry, share, settings);
  }

  @Override
  public void revoke(Resource resource, Grantee grantee, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      Grantee known = findGrantee(found, grantee);
      if (!found.shares.removeIf(share -> share.grantee().equals(known)))
        throw FakeState.notFound("SHARE_NOT_FOUND", "Share not found");
      return null;
    });
  }

  @Override
  public NewLink createLink(Resource resource, Grant grant, Options.ForLink... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Claims claims = rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      if (readGrant(found.resource.type(), grant, settings.expiresAt, settings.condition))
        throw DaikonException.invalid(new Field("role", "must not contain manage"));
      String id = UUID.randomUUID().toString();
      Link link = new Link(
          id, grant, settings.name, claims.subject(), Instant.now(), settings.expiresAt, null, copyOf(settings.condition));
      NewLink created = new NewLink(link, "dl_" + UUID.randomUUID());
      found.links.add(created);
      return created;
    });
  }

  @Override
  public List<Link> links(Resource resource, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      rights.requireUser(settings.token);
      return rights.requireManageable(resource, settings).links.stream()
          .map(NewLink::link)
          .filter(link -> FakeState.isCurrent(link.expiresAt()))
          .toList();
    });
  }

  @Override
  public void revokeLink(Resource resource, String linkId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      requireUuid("link_id", linkId);
      rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      if (!found.links.removeIf(created -> created.link().id().equals(linkId)))
        throw FakeState.notFound("LINK_NOT_FOUND", "Link not found");
      return null;
    });
  }

  @Override
  public RegisteredResource setVisibility(
      Resource resource, Visibility visibility, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      types.requireVisibility(resource.type(), visibility);
      found.visibility = visibility;
      return found.view();
    });
  }

  @Override
  public RegisteredResource setAttributes(
      Resource resource, Map<String, ?> attributes, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      found.attributes = merge(found.attributes, FakeState.copyOf("attributes", attributes));
      return found.view();
    });
  }

  /** Applies a merge patch (RFC 7396). */
  private static Map<String, Object> merge(Map<?, ?> object, Map<?, ?> patch) {
    Map<String, Object> merged = new LinkedHashMap<>();
    object.forEach((name, value) -> merged.put((String) name, value));
    patch.forEach((name, value) -> {
      if (value == null) merged.remove(name);
      else if (value instanceof Map<?, ?> nested)
        merged.put((String) name, merge(merged.get(name) instanceof Map<?, ?> known ? known : Map.of(), nested));
      else merged.put((String) name, value);
    });
    return merged;
  }

  @Override
  public RegisteredResource setDisplayName(
      Resource resource, String displayName, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      found.displayName = displayName;
      return found.view();
    });
  }

  @Override
  public RegisteredResource setParent(Resource resource, Resource parent, Options.ForParent... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      Entry above = parent == null ? null : requireParent(found.workspaceId, parent);
      if (above != null && above != found.parent) {
        rights.requireEditableParent(above, settings);
        requireNoCycle(found, above);
      }
      found.parent = above;
      if (settings.inherits != null) found.inherits = settings.inherits;
      return found.view();
    });
  }

  private void requireNoCycle(Entry entry, Entry parent) {
    int length = 1;
    for (Entry above = parent; above != null; above = above.parent) {
      length += 1;
      if (above == entry) {
        String message = "A resource must not be its own parent or below itself";
        throw DaikonException.of(Code.ALREADY_EXISTS, "PARENT_CYCLE", message);
      }
    }
    int below = state.resources.values().stream().mapToInt(other -> other.depthBelow(entry)).max().orElse(0);
    if (length + below <= MAX_CHAIN_LENGTH) return;
    String message = "must not make a chain of more than " + MAX_CHAIN_LENGTH + " resources";
    throw DaikonException.invalid(new Field("parent", message));
  }

  @Override
  public RegisteredResource transfer(Resource resource, String userId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      requireUuid("owner_id", userId);
      Entry found = rights.requireManageable(resource, settings);
      rights.requireOwnership(found, settings);
      requireMember("owner_id", found.workspaceId, userId);
      found.ownerId = userId;
      return found.view();
    });
  }

  @Override
  public void registerActions(List<Action> actions, Options.ForAny... options) {
    run(() -> {
      rights.requireOwnService();
      for (Action action : actions) state.actions.add(action.name());
      return null;
    });
  }

  @Override
  public DeclaredType declareType(String type, TypeDeclaration declaration, Options.ForDeclare... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Arguments.requireType(type);
      rights.requireOwnService();
      return types.declare(type, declaration, settings.dryRun);
    });
  }

  @Override
  public List<DeclaredType> resourceTypes(Options.ForAny... options) {
    return run(() -> {
      rights.requireOwnService();
      return state.types.entrySet().stream()
          .map(entry -> new DeclaredType(entry.getKey(), entry.getValue(), null))
          .toList();
    });
  }

  @Override
  public void deleteType(String type, Options.ForAny... options) {
    run(() -> {
      rights.requireOwnService();
      types.delete(type);
      return null;
    });
  }

  @Override
  public Claims verifyAccessToken(String token) {
    return run(() -> Tokens.readFake(token));
  }

  @Override
  public String resourceId(Resource resource) {
    return state.idOf(Arguments.requireResource(resource));
  }

  @Override
  public synchronized void close() {
    isClosed = true;
  }
}
