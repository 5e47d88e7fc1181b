package io.github.daikonauth.client;

import io.github.daikonauth.client.FakeState.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
public final class FakeDaikon extends FakeResources {
  /** Creates a fake. */
  public FakeDaikon(FakeWorld world) {
    super(new FakeState(world));
  }

  /** Creates an access token that this fake accepts for 15 minutes. */
  public String token(String userId, String workspaceId) {
    return token(userId, workspaceId, Duration.ofMinutes(15));
  }

  /** Creates an access token that this fake accepts. Its lifetime may be negative. */
  public String token(String userId, String workspaceId, Duration lifetime) {
    return token(userId, workspaceId, lifetime, Instant.now());
  }

  /** Creates an access token of a user who signed in at {@code signedInAt}. */
  public String token(String userId, String workspaceId, Duration lifetime, Instant signedInAt) {
    boolean isGuest = state.isGuest(workspaceId, userId);
    return Tokens.createFake(userId, workspaceId, isGuest, lifetime, signedInAt, Map.of());
  }

  /** Creates an access token that is limited to the API with the URI {@code resource}, and has these scopes there. */
  public String tokenForApi(String userId, String workspaceId, String resource, List<String> scopes) {
    Map<String, String> access = Map.of(
        "aud", resource, "type", Tokens.RESOURCE_TYPE, "client_id", "", "scope", String.join(" ", scopes));
    return Tokens.createFake(userId, workspaceId, false, Duration.ofMinutes(15), Instant.now(), access);
  }

  /** Creates a token of the agent of a delegation, which this fake accepts for 15 minutes. */
  public String delegatedToken(String delegationId) {
    return createDelegated(delegationId, Map.of("aud", Tokens.DELEGATED_AUDIENCE), Duration.ofMinutes(15));
  }

  /** Creates a token of the agent of a delegation. Its lifetime may be negative. */
  public String delegatedToken(String delegationId, Duration lifetime) {
    return createDelegated(delegationId, Map.of("aud", Tokens.DELEGATED_AUDIENCE), lifetime);
  }

  /**
   * Creates a token of the agent of a delegation that is limited to the API with the URI {@code resource}, and has these
   * scopes there.
   */
  public String delegatedTokenForApi(String delegationId, String resource, List<String> scopes) {
    Map<String, String> access = Map.of("aud", resource, "scope", String.join(" ", scopes));
    return createDelegated(delegationId, access, Duration.ofMinutes(15));
  }

  private String createDelegated(String delegationId, Map<String, String> access, Duration lifetime) {
    FakeState.Delegated known = state.delegations.get(delegationId);
    if (known == null) throw new IllegalArgumentException("the world has no delegation " + delegationId);
    FakeDelegation delegation = known.delegation();
    Agent agent = delegation.agent;
    Map<String, Object> claims = new HashMap<>(access);
    claims.put("type", Tokens.DELEGATED_TYPE);
    claims.put("act", Map.of("sub", agent.id(), "typ", agent.type()));
    claims.put("delegation_id", delegationId);
    return Tokens.createFake(
        delegation.userId, delegation.workspaceId, false, lifetime, Instant.now(), claims);
  }

  /** Makes the fake treat a token as revoked. */
  public synchronized void revokeToken(String token) {
    rights.revoked.add(token);
  }

  /** Makes every operation fail with an error; null ends that. */
  public synchronized void failWith(DaikonException error) {
    failure = error;
  }

  private Explanation decideFor(
      FakeSubject subject, Resource resource, String action, Map<String, Object> context) {
    if (resource.type().equals(FakeTypes.WORKSPACE))
      return FakeDecision.decideWorkspace(state, subject, action, state.findWorkspace(resource.id()));
    return new FakeDecision(state, subject, action, resource.type(), state.find(resource), context).decide();
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
      if (settings.workspaceId != null) requireId("context.workspace_id", settings.workspaceId);
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
  public Claims verifyAccessToken(String token, Options.ForToken... options) {
    Settings settings = Settings.read(options);
    return run(() -> Tokens.verifyFake(token, settings.audience, settings.delegated));
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
