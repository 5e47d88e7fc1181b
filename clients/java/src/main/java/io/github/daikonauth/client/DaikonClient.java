package io.github.daikonauth.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Struct;
import io.github.daikonauth.client.Arguments.SubjectName;
import io.github.daikonauth.client.Connection.Attempt;
import io.github.daikonauth.v1.AccessAction;
import io.github.daikonauth.v1.AccessEntity;
import io.github.daikonauth.v1.AccessResource;
import io.github.daikonauth.v1.AccessServiceGrpc;
import io.github.daikonauth.v1.AuthServiceGrpc;
import io.github.daikonauth.v1.EvaluateRequest;
import io.github.daikonauth.v1.Evaluation;
import io.github.daikonauth.v1.GetConfigurationRequest;
import io.github.daikonauth.v1.GetKeySetRequest;
import io.github.daikonauth.v1.IntrospectTokenRequest;
import io.github.daikonauth.v1.OAuthServiceGrpc;
import io.github.daikonauth.v1.OAuthTokenResponse;
import io.github.daikonauth.v1.ResourceSearch;
import io.github.daikonauth.v1.SearchPage;
import io.github.daikonauth.v1.SearchResourcesRequest;
import io.github.daikonauth.v1.SearchResourcesResponse;
import io.github.daikonauth.v1.SearchSubjectsRequest;
import io.github.daikonauth.v1.SearchSubjectsResponse;
import io.github.daikonauth.v1.SubjectSearch;
import io.github.daikonauth.v1.TokenIntrospection;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * A client that is connected to a server. It connects on first use and reconnects automatically. Use one client for the
 * whole process.
 *
 * <pre>{@code
 * DaikonClient daikon = DaikonClient.builder()
 *     .address("localhost:50051")
 *     .service("docs")
 *     .serviceKey(System.getenv("DAIKON_SERVICE_KEY"))
 *     .build();
 * boolean allowed = daikon.check(Subject.token(token), "edit", new Resource("document", id));
 * }</pre>
 */
public final class DaikonClient extends ResourceOperations implements Daikon {
  private final Connection connection;
  private final CheckBatcher batcher;
  private final Tokens tokens;
  private final TokenExchange exchange = new TokenExchange();
  private final AgentCredentials agent;
  private final Duration timeout;

  DaikonClient(DaikonClientBuilder builder) {
    super(builder.service);
    timeout = builder.timeout;
    agent = builder.agent;
    connection = new Connection(
        builder.address, builder.serviceKey, builder.credentials, builder.serverName, builder.maxInFlight);
    batcher = new CheckBatcher(connection, service);
    tokens = new Tokens(this::loadKeys, builder.issuer);
  }

  /** Begins the configuration of a client. */
  public static DaikonClientBuilder builder() {
    return new DaikonClientBuilder();
  }

  @Override
  public boolean check(Subject subject, String action, Resource resource, Options.ForCheck... options) {
    return await(checkAsync(subject, action, resource, options));
  }

  @Override
  public CompletableFuture<Boolean> checkAsync(
      Subject subject, String action, Resource resource, Options.ForCheck... options) {
    Settings settings = Settings.read(options);
    return batcher.add(new Check(subject, action, resource), settings.context, deadline(settings));
  }

  @Override
  public List<Boolean> checkMany(List<Check> checks, Options.ForCheck... options) {
    Settings settings = Settings.read(options);
    long deadline = deadline(settings);
    for (Check check : checks) {
      Arguments.nameSubject(check.subject());
      Arguments.requireAction(check.action());
      Arguments.requireResource(check.resource());
      Arguments.readContext(check.context());
    }
    List<CompletableFuture<Boolean>> pending = new ArrayList<>();
    for (Check check : checks) pending.add(batcher.add(check, settings.context, deadline));
    List<Boolean> results = new ArrayList<>();
    try {
      for (CompletableFuture<Boolean> result : pending) results.add(await(result));
    } finally {
      for (CompletableFuture<Boolean> result : pending) result.cancel(false);
    }
    return results;
  }

  private static boolean await(CompletableFuture<Boolean> result) {
    try {
      return result.get();
    } catch (InterruptedException interrupted) {
      result.cancel(false);
      Thread.currentThread().interrupt();
      throw Connection.interruptedError();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof DaikonException error) throw error;
      throw new IllegalStateException(failure.getCause());
    }
  }

  @Override
  public Stream<String> accessible(
      Subject subject, String action, String type, Options.ForAccessible... options) {
    Settings settings = Settings.read(options);
    SubjectName name = Arguments.nameSubject(subject);
    Arguments.requireAction(action);
    Arguments.requireType(type);
    SearchResourcesRequest.Builder request = SearchResourcesRequest.newBuilder()
        .setSubject(name.message())
        .setAction(AccessAction.newBuilder().setName(action))
        .setResource(ResourceSearch.newBuilder().setType(service + ":" + type));
    Map<String, Object> context = new HashMap<>();
    if (settings.context != null) context.putAll(settings.context);
    if (settings.workspaceId != null) context.put("workspace_id", settings.workspaceId);
    if (!context.isEmpty()) request.setContext(Arguments.readContext(context));
    return Pages.stream(token -> {
      if (!token.isEmpty()) request.setPage(SearchPage.newBuilder().setToken(token));
      SearchResourcesResponse found = send(
          AccessServiceGrpc.getSearchResourcesMethod(), request.build(), Attempt.repeatable(deadline(settings)));
      DaikonException error =
          token.isEmpty() && found.getResultsCount() == 0 ? Tokens.deniedTokenError(name, found.getContext()) : null;
      if (error != null) throw error;
      return new Pages.Page(idsOf(found.getResultsList()), found.getPage().getNextToken());
    });
  }

  @Override
  public Stream<String> subjects(String action, Resource resource, Options.ForSubjects... options) {
    Settings settings = Settings.read(options);
    SearchSubjectsRequest.Builder request = SearchSubjectsRequest.newBuilder()
        .setSubject(SubjectSearch.newBuilder().setType(settings.listsGroups ? "group" : "user"))
        .setAction(readAction(action))
        .setResource(readResource(resource));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Pages.stream(token -> {
      if (!token.isEmpty()) request.setPage(SearchPage.newBuilder().setToken(token));
      SearchSubjectsResponse found = send(
          AccessServiceGrpc.getSearchSubjectsMethod(), request.build(), Attempt.repeatable(deadline(settings)));
      return new Pages.Page(idsOf(found.getResultsList()), found.getPage().getNextToken());
    });
  }

  private static List<String> idsOf(List<AccessEntity> entities) {
    return entities.stream().map(AccessEntity::getId).toList();
  }

  @Override
  public Explanation explain(
      Subject subject, String action, Resource resource, Options.ForCheck... options) {
    Settings settings = Settings.read(options);
    SubjectName name = Arguments.nameSubject(subject);
    Map<String, Object> context = new HashMap<>();
    if (settings.context != null) context.putAll(settings.context);
    context.put("explain", true);
    EvaluateRequest request = EvaluateRequest.newBuilder()
        .setSubject(name.message())
        .setAction(readAction(action))
        .setResource(readResource(resource))
        .setContext(Arguments.readContext(context))
        .build();
    Evaluation evaluation =
        send(AccessServiceGrpc.getEvaluateMethod(), request, Attempt.repeatable(deadline(settings)));
    DaikonException error = evaluation.getDecision() ? null : Tokens.deniedTokenError(name, evaluation.getContext());
    if (error != null) throw error;
    return new Explanation(evaluation.getDecision(), Records.readReasons(evaluation.getContext()));
  }

  private static AccessAction readAction(String action) {
    Arguments.requireAction(action);
    return AccessAction.newBuilder().setName(action).build();
  }

  private AccessResource readResource(Resource resource) {
    Arguments.requireResource(resource);
    return AccessResource.newBuilder().setType(service + ":" + resource.type()).setId(resource.id()).build();
  }

  @Override
  public Claims verifyAccessToken(String token, Options.ForToken... options) {
    Settings settings = Settings.read(options);
    if (settings.audience == null && Arguments.isApiKey(token)) return verifyApiKey(token);
    return tokens.verify(token, settings.audience, settings.delegated);
  }

  private Tokens.Published loadKeys() {
    Attempt attempt = Attempt.repeatable(deadline(Settings.read()));
    String issuer = send(
            AuthServiceGrpc.getGetConfigurationMethod(), GetConfigurationRequest.getDefaultInstance(), attempt)
        .getIssuer();
    return new Tokens.Published(
        issuer,
        send(AuthServiceGrpc.getGetKeySetMethod(), GetKeySetRequest.getDefaultInstance(), attempt).getKeysList());
  }

  /** API keys are verified by the server, because they can end at any time. */
  private Claims verifyApiKey(String token) {
    TokenIntrospection found = send(
        OAuthServiceGrpc.getIntrospectTokenMethod(),
        IntrospectTokenRequest.newBuilder().setToken(token).build(),
        Attempt.repeatable(deadline(Settings.read())));
    if (!found.getActive() || !found.getTokenType().equals("api_key"))
      throw Tokens.tokenInvalid("the API key is unknown or no longer valid");
    Map<String, Object> claims = new HashMap<>();
    claims.put("sub", found.getSub());
    claims.put("wid", found.getWid());
    claims.put("wslug", found.getWslug());
    claims.put("wrole", found.getWrole());
    claims.put("type", "api_key");
    if (found.hasExp()) claims.put("exp", (double) found.getExp());
    return new Claims(
        found.getSub(),
        found.getWid(),
        found.getWslug(),
        found.getWrole(),
        false,
        List.of(),
        "api_key",
        found.hasExp() ? Instant.ofEpochSecond(found.getExp()) : null,
        claims);
  }

  /**
   * Returns a token with which the agent of the client acts for a user (RFC 8693), of a delegation that the user has
   * made. The token is kept until a minute before its end, and simultaneous calls for the same one share a request.
   *
   * <pre>{@code
   * String token = daikon.exchange(ExchangeRequest.ofDelegation(delegationId)).token();
   * }</pre>
   *
   * @throws UnauthenticatedException if the client app or its secret is wrong
   * @throws InvalidArgumentException if the client has no agent, or an argument is missing
   * @throws DaikonException {@code failed_precondition} if the API key, the delegation or the access token has ended, or
   *     does not fit the others
   */
  public DelegatedToken exchange(ExchangeRequest request, Options.ForAny... options) {
    TokenExchange.require(agent, request);
    if (connection.isClosed()) throw Connection.closedError();
    long deadline = deadline(Settings.read(options));
    return exchange.get(request, deadline, () -> {
      Instant sentAt = Instant.now();
      OAuthTokenResponse response = send(
          OAuthServiceGrpc.getIssueTokenMethod(),
          TokenExchange.toMessage(agent, request),
          Attempt.repeatable(deadline));
      return TokenExchange.read(response, sentAt);
    });
  }

  /**
   * Follows the activity log. Without a cursor, it begins with new events. Store the cursor of a message once you have
   * processed it, and begin there next time:
   *
   * <pre>{@code
   * try (Watch watch = daikon.watch(new WatchOptions().cursor(stored).actions("permission.*"))) {
   *   for (WatchMessage message : watch) {
   *     if (message.event() != null) apply(message.event());
   *     store(message.cursor());
   *   }
   * }
   * }</pre>
   */
  public Watch watch(WatchOptions options) {
    if (connection.isClosed()) throw Connection.closedError();
    return new Watch(connection, options);
  }

  @Override
  <A extends MessageLite, B> B send(MethodDescriptor<A, B> method, A request, Attempt attempt) {
    return connection.send(method, request, attempt);
  }

  @Override
  long deadline(Settings settings) {
    return System.nanoTime() + (settings.timeout == null ? timeout : settings.timeout).toNanos();
  }

  @Override
  public void close() {
    connection.close();
    batcher.close();
  }
}
