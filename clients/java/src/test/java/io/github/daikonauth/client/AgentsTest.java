package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.v1.Key;
import io.github.daikonauth.v1.OAuthTokenRequest;
import io.github.daikonauth.v1.OAuthTokenResponse;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AgentsTest {
  private static final ExchangeRequest REQUEST = ExchangeRequest.ofDelegation("d");
  private static final Resource FOLDER = new Resource("folder", "q4");
  private static final Resource BELOW = document("below");
  private static final Resource ACME = new Resource("workspace", "acme");

  private static Resource document(String id) {
    return new Resource("document", id);
  }

  private static Registration registration(Resource resource, String ownerId) {
    return Registration.of(resource.type(), resource.id()).workspaceId("acme").ownerId(ownerId);
  }

  private static FakeDelegation ofAlice(String id) {
    return FakeDelegation.of(id, "alice", "acme");
  }

  private static FakeDaikon createFake() {
    Instant past = Instant.now().minusSeconds(1);
    return new FakeDaikon(new FakeWorld()
        .member("acme", "alice", "editor")
        .member("acme", "bob", "viewer")
        .member("globex", "bob", "viewer")
        .member("acme", "former", "viewer", past)
        .type("document", new TypeDeclaration("", true, List.of(), List.of(), List.of()))
        .resource(registration(FOLDER, "alice"))
        .resource(registration(BELOW, "alice").parent(FOLDER))
        .resource(registration(document("apart"), "alice").parent(FOLDER), false)
        .resource(registration(document("elsewhere"), "alice"))
        .resource(registration(document("notice"), "alice").visibility(Visibility.PUBLIC))
        .resource(registration(document("of-bob"), "bob"))
        .resource(registration(document("of-globex"), "bob").workspaceId("globex").visibility(Visibility.PUBLIC))
        .delegation(ofAlice("viewing").actions("view"))
        .delegation(ofAlice("documents").resourceTypes("document"))
        .delegation(ofAlice("below-q4").resources(FOLDER))
        .delegation(ofAlice("nothing").resources())
        .delegation(ofAlice("expired").actions("view").expiresAt(past))
        .delegation(ofAlice("ended").actions("view").ended())
        .delegation(ofAlice("other-service").actions("view").service("other"))
        .delegation(ofAlice("managing").actions("manage"))
        .delegation(ofAlice("workspaces").resourceTypes("workspace"))
        .delegation(FakeDelegation.of("of-former", "former", "acme").actions("view")));
  }

  private record Row(String delegation, String action, Resource resource, boolean isAllowed) {}

  private static final List<Row> ROWS = List.of(
      new Row("viewing", "view", BELOW, true),
      new Row("viewing", "edit", BELOW, false),
      new Row("viewing", "view", document("of-bob"), false),
      new Row("viewing", "view", document("notice"), true),
      new Row("viewing", "view", document("of-globex"), false),
      new Row("viewing", "view", ACME, false),
      new Row("documents", "edit", BELOW, true),
      new Row("documents", "edit", FOLDER, false),
      new Row("documents", "manage", BELOW, false),
      new Row("below-q4", "edit", BELOW, true),
      new Row("below-q4", "view", FOLDER, true),
      new Row("below-q4", "view", document("apart"), false),
      new Row("below-q4", "view", document("elsewhere"), false),
      new Row("nothing", "view", BELOW, false),
      new Row("expired", "view", BELOW, false),
      new Row("ended", "view", BELOW, false),
      new Row("other-service", "view", BELOW, false),
      new Row("managing", "manage", BELOW, true),
      new Row("managing", "view", BELOW, false),
      new Row("workspaces", "view", ACME, true),
      new Row("of-former", "view", document("notice"), false));

  @Test
  void aFakeDecidesForAUserAndTheAgentThatActsForThem() {
    FakeDaikon fake = createFake();
    for (Row row : ROWS) {
      String token = fake.delegatedToken(row.delegation());
      for (Subject subject : List.of(Subject.delegation(row.delegation()), Subject.token(token)))
        assertEquals(row.isAllowed(), fake.check(subject, row.action(), row.resource()), row.toString());
      assertThrows(InvalidTokenException.class, () -> fake.verifyAccessToken(token));
      Claims claims = fake.verifyAccessToken(token, Options.delegated());
      assertEquals(row.delegation(), claims.delegationId());
      assertEquals(new Agent("service_account", "agent", null), claims.agent());
    }
    assertFalse(fake.check(Subject.delegation("unknown"), "view", document("notice")));
    List<String> found = fake.accessible(Subject.delegation("below-q4"), "view", "document").toList();
    assertEquals(List.of("below"), found);
    fake.unregister(FOLDER, Options.cascade());
    fake.register(registration(FOLDER, "alice"));
    assertFalse(fake.check(Subject.delegation("below-q4"), "view", FOLDER));
  }

  @Test
  void aFakeExplainsWhatTheDelegationSays() {
    FakeDaikon fake = createFake();
    Reason granted = last(fake.explain(Subject.delegation("viewing"), "view", BELOW));
    assertEquals("delegation", granted.rule());
    assertEquals("viewing", granted.delegationId());
    assertEquals(new Agent("service_account", "agent", "agent"), granted.agent());
    Reason uncovered = last(fake.explain(Subject.delegation("viewing"), "edit", BELOW));
    assertEquals("delegation_does_not_cover", uncovered.rule());
    assertEquals("action", uncovered.uncovered());
    assertEquals("type", last(fake.explain(Subject.delegation("documents"), "edit", FOLDER)).uncovered());
    assertEquals("resource", last(fake.explain(Subject.delegation("nothing"), "view", BELOW)).uncovered());
    assertEquals("delegation_expired", last(fake.explain(Subject.delegation("expired"), "view", BELOW)).rule());
    assertEquals("delegation_ended", last(fake.explain(Subject.delegation("ended"), "view", BELOW)).rule());
    Subject former = Subject.token(fake.delegatedToken("of-former"));
    assertEquals("delegation_ended", last(fake.explain(former, "view", BELOW)).rule());
    Subject unknown = Subject.delegation("other-service");
    assertEquals("user_unknown", last(fake.explain(unknown, "view", BELOW)).rule());
    Subject other = Subject.token(fake.delegatedToken("other-service"));
    assertEquals("type", last(fake.explain(other, "view", BELOW)).uncovered());
  }

  private static Reason last(Explanation explanation) {
    return explanation.reasons().get(explanation.reasons().size() - 1);
  }

  @Test
  void anAgentChangesWhatItsDelegationCovers() {
    FakeDaikon fake = createFake();
    Options.ForChange managing = Options.as(fake.delegatedToken("managing"));
    assertEquals("Plan", fake.setDisplayName(BELOW, "Plan", managing).displayName());
    Options.ForChange documents = Options.as(fake.delegatedToken("documents"));
    DaikonException error = assertThrows(
        PermissionDeniedException.class, () -> fake.setDisplayName(BELOW, "Plan", documents));
    assertEquals("DELEGATION_DOES_NOT_COVER", error.reason());
  }

  @Test
  void aWorldDoesNotContainDelegationsOfAnythingOrOfWhatItLacks() {
    for (FakeDelegation wrong : List.of(
        ofAlice("all"),
        FakeDelegation.of("of-other", "carol", "acme").actions("view"),
        ofAlice("missing").resources(document("missing"))))
      assertThrows(
          IllegalArgumentException.class,
          () -> new FakeDaikon(new FakeWorld().member("acme", "alice", "viewer").delegation(wrong)),
          wrong.id);
    assertThrows(IllegalArgumentException.class, () -> createFake().delegatedToken("unknown"));
  }

  @Test
  void aDelegatedTokenForAnApiIsForThisApiAlone() {
    FakeDaikon fake = createFake();
    String uri = "https://docs.example.com/api";
    String token = fake.delegatedTokenForApi("viewing", uri, List.of("read"));
    Claims claims = fake.verifyAccessToken(token, Options.audience(uri), Options.delegated());
    assertEquals("read", claims.all().get("scope"));
    assertThrows(InvalidTokenException.class, () -> fake.verifyAccessToken(token, Options.delegated()));
    assertThrows(InvalidTokenException.class, () -> fake.verifyAccessToken(token, Options.audience(uri)));
    String forAll = fake.delegatedToken("viewing");
    for (String audience : List.of(uri, "daikon:delegated", "daikon"))
      assertThrows(
          InvalidTokenException.class,
          () -> fake.verifyAccessToken(forAll, Options.audience(audience), Options.delegated()));
  }

  @Test
  void signedTokensOfAgentsAreAcceptedOnlyOnRequest() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair keys = generator.generateKeyPair();
    RSAPublicKey published = (RSAPublicKey) keys.getPublic();
    Key key = Key.newBuilder()
        .setKid("k")
        .setN(encode(published.getModulus()))
        .setE(encode(published.getPublicExponent()))
        .build();
    Tokens tokens = new Tokens(() -> new Tokens.Published("https://auth.example.com", List.of(key)), null);
    String delegated = sign(keys, "dt+jwt", "delegated", "daikon:delegated");
    Claims claims = tokens.verify(delegated, null, true);
    assertEquals(new Agent("client", "bot", null), claims.agent());
    assertEquals("d", claims.delegationId());
    assertThrows(InvalidTokenException.class, () -> tokens.verify(delegated, null, false));
    String ofUser = sign(keys, "at+jwt", "access", "daikon");
    for (boolean isAccepted : new boolean[] {true, false}) tokens.verify(ofUser, null, isAccepted);
    String uri = "https://docs.example.com";
    tokens.verify(sign(keys, "dt+jwt", "delegated", uri), uri + "/", true);
    for (String wrong : List.of(
        sign(keys, "at+jwt", "delegated", "daikon:delegated"),
        sign(keys, "dt+jwt", "access", "daikon"),
        sign(keys, "dt+jwt", "delegated", "daikon"),
        sign(keys, "dt+jwt", "delegated", uri)))
      assertThrows(InvalidTokenException.class, () -> tokens.verify(wrong, null, true));
  }

  private static String sign(KeyPair keys, String typ, String type, String audience)
      throws GeneralSecurityException {
    Map<String, Object> claims = new HashMap<>(Map.of(
        "iss", "https://auth.example.com", "sub", "alice", "wid", "acme", "type", type, "aud", audience,
        "exp", Instant.now().getEpochSecond() + 60));
    claims.put("act", Map.of("sub", "bot", "typ", "client"));
    claims.put("delegation_id", "d");
    String signed = encode(Json.print(Map.of("alg", "RS256", "kid", "k", "typ", typ)))
        + "." + encode(Json.print(claims));
    Signature signer = Signature.getInstance("SHA256withRSA");
    signer.initSign(keys.getPrivate());
    signer.update(signed.getBytes(StandardCharsets.US_ASCII));
    return signed + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signer.sign());
  }

  private static String encode(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String encode(BigInteger number) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(number.toByteArray());
  }

  private static DelegatedToken tokenOf(long seconds) {
    return new DelegatedToken("t", "", Instant.now().plusSeconds(seconds));
  }

  private static long soon() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
  }

  @Test
  void threadsShareARequestAndKeepItsToken() throws Exception {
    TokenExchange exchange = new TokenExchange();
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch released = new CountDownLatch(1);
    Supplier<DelegatedToken> issue = () -> {
      calls.incrementAndGet();
      await(released);
      return tokenOf(900);
    };
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<DelegatedToken>> results = new ArrayList<>();
      for (int count = 0; count < 4; count += 1)
        results.add(threads.submit(() -> exchange.get(REQUEST, soon(), issue)));
      released.countDown();
      for (Future<DelegatedToken> result : results) assertSame(results.get(0).get(), result.get());
    } finally {
      threads.shutdownNow();
    }
    ExchangeRequest same = ExchangeRequest.ofDelegation("d");
    assertSame(exchange.get(REQUEST, soon(), issue), exchange.get(same, soon(), issue));
    assertEquals(1, calls.get());
  }

  @Test
  void aTokenIsReplacedAMinuteBeforeItsEndAndEachRequestHasItsOwn() {
    TokenExchange exchange = new TokenExchange();
    for (ExchangeRequest request : List.of(
        REQUEST.scope("read"),
        REQUEST.resource("read"),
        ExchangeRequest.ofToken("d"),
        ExchangeRequest.ofToken("d").delegationId("e"))) {
      DelegatedToken ending = exchange.get(request, soon(), () -> tokenOf(59));
      DelegatedToken next = exchange.get(request, soon(), () -> tokenOf(61));
      assertNotSame(ending, next);
      assertSame(next, exchange.get(request, soon(), () -> tokenOf(900)));
    }
    assertEquals(4, exchange.size());
  }

  @Test
  void aFailedExchangeIsNotKept() {
    TokenExchange exchange = new TokenExchange();
    DaikonException failure = DaikonException.of(Code.UNAVAILABLE, "AWAY", "away");
    assertSame(failure, assertThrows(DaikonException.class, () -> exchange.get(REQUEST, soon(), () -> {
      throw failure;
    })));
    assertEquals(0, exchange.size());
    DelegatedToken token = tokenOf(900);
    assertSame(token, exchange.get(REQUEST, soon(), () -> token));
  }

  @Test
  void aThreadThatWaitsForAnInterruptedOneStartsItsOwnRequest() throws Exception {
    for (DaikonException failure :
        List.of(Connection.interruptedError(), DaikonException.of(Code.UNAVAILABLE, "AWAY", "away"))) {
      TokenExchange exchange = new TokenExchange();
      CountDownLatch started = new CountDownLatch(1);
      CompletableFuture<Void> waiting = new CompletableFuture<>();
      CompletableFuture<DelegatedToken> first = CompletableFuture.supplyAsync(
          () -> exchange.get(REQUEST, soon(), () -> {
            started.countDown();
            waiting.join();
            throw failure;
          }), AgentsTest::start);
      started.await();
      DelegatedToken token = tokenOf(900);
      // Only a thread that waits can be timed out.
      assertThrows(
          DeadlineExceededException.class, () -> exchange.get(REQUEST, System.nanoTime(), () -> token));
      CompletableFuture<Thread> follower = new CompletableFuture<>();
      CompletableFuture<DelegatedToken> second = CompletableFuture.supplyAsync(() -> {
        follower.complete(Thread.currentThread());
        return exchange.get(REQUEST, soon(), () -> token);
      }, AgentsTest::start);
      while (follower.get().getState() != Thread.State.TIMED_WAITING) {
        assertFalse(second.isDone());
        Thread.onSpinWait();
      }
      waiting.complete(null);
      assertThrows(ExecutionException.class, first::get);
      if (failure instanceof CancelledException) assertSame(token, second.get());
      else assertSame(failure, assertThrows(ExecutionException.class, second::get).getCause());
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theNumberOfKeptTokensIsLimited() {
    TokenExchange exchange = new TokenExchange();
    for (int index = 0; index < TokenExchange.MAX_TOKENS + 100; index += 1)
      exchange.get(ExchangeRequest.ofDelegation("d" + index), soon(), () -> tokenOf(900));
    assertEquals(TokenExchange.MAX_TOKENS, exchange.size());
  }

  @Test
  void anExchangeSendsWhatTheStandardSays() {
    OAuthTokenRequest away = TokenExchange.toMessage(AgentCredentials.client("bot", "secret"), REQUEST);
    assertEquals("urn:ietf:params:oauth:grant-type:token-exchange", away.getGrantType());
    assertEquals("d", away.getSubjectToken());
    assertEquals("urn:daikon:params:oauth:token-type:delegation", away.getSubjectTokenType());
    assertEquals("bot secret", away.getClientId() + " " + away.getClientSecret());
    assertFalse(away.hasActorToken() || away.hasDelegationId() || away.hasResource() || away.hasScope());
    ExchangeRequest request = ExchangeRequest.ofToken("token").delegationId("d").resource("uri").scope("read");
    OAuthTokenRequest atHand = TokenExchange.toMessage(AgentCredentials.apiKey("da_key"), request);
    assertEquals("token", atHand.getSubjectToken());
    assertEquals("urn:ietf:params:oauth:token-type:access_token", atHand.getSubjectTokenType());
    assertEquals("da_key", atHand.getActorToken());
    assertEquals("urn:daikon:params:oauth:token-type:api_key", atHand.getActorTokenType());
    assertEquals("d uri read", atHand.getDelegationId() + " " + atHand.getResource() + " " + atHand.getScope());
    assertFalse(atHand.hasClientId() || atHand.hasClientSecret());
  }

  @Test
  void aResponseWithoutAUsableTokenIsAnError() {
    Instant now = Instant.now();
    OAuthTokenResponse.Builder response = OAuthTokenResponse.newBuilder().setAccessToken("t").setExpiresIn(900);
    assertEquals(new DelegatedToken("t", "", now.plusSeconds(900)), TokenExchange.read(response.build(), now));
    for (OAuthTokenResponse wrong : List.of(
        response.clone().setAccessToken("").build(),
        response.clone().setAccessToken("a b").build(),
        response.clone().setAccessToken("x".repeat(16_385)).build(),
        response.clone().setExpiresIn(0).build()))
      assertThrows(DaikonException.class, () -> TokenExchange.read(wrong, now));
  }

  @Test
  void wrongAgentsAndRequestsAreRefused() {
    for (AgentCredentials wrong : List.of(
        AgentCredentials.apiKey(""),
        AgentCredentials.apiKey(null),
        AgentCredentials.client("bot", null),
        AgentCredentials.client("", "secret"))) {
      DaikonClientBuilder builder = builder().agent(wrong);
      DaikonException error = assertThrows(InvalidArgumentException.class, builder::build);
      assertEquals("agent", error.fields().get(0).field());
    }
    DaikonClient client = builder().agent(AgentCredentials.apiKey("da_key")).build();
    for (ExchangeRequest wrong : new ExchangeRequest[] {
      null,
      ExchangeRequest.ofDelegation(null),
      ExchangeRequest.ofDelegation(""),
      ExchangeRequest.ofToken(""),
      REQUEST.resource(""),
      REQUEST.scope("x".repeat(16_385))
    }) assertThrows(InvalidArgumentException.class, () -> client.exchange(wrong));
    client.close();
    assertThrows(CancelledException.class, () -> client.exchange(REQUEST));
    try (DaikonClient other = builder().developmentMode().build()) {
      DaikonException error = assertThrows(InvalidArgumentException.class, () -> other.exchange(REQUEST));
      assertEquals("agent is required by exchange", error.getMessage());
    }
  }

  private static DaikonClientBuilder builder() {
    return DaikonClient.builder().address("localhost:1").service("docs");
  }

  @Test
  void secretsOfAgentsAreNotPrinted() {
    for (Object value : List.of(
        AgentCredentials.apiKey("secret"),
        AgentCredentials.client("bot", "secret"),
        ExchangeRequest.ofToken("secret"),
        new DelegatedToken("secret", "", Instant.now())))
      assertFalse(value.toString().contains("secret"), value.toString());
  }

  @Test
  void reasonsNameTheDelegationAndItsAgent() {
    Map<String, Object> agent = Map.of("type", "client", "id", "bot", "name", "report-bot");
    Map<String, Object> reason = Map.of(
        "rule", "delegation_does_not_cover", "delegation_id", "d", "agent", agent, "uncovered", "action");
    List<Reason> reasons = Records.readReasons(Json.toStruct(
        "context", Map.of("reasons", List.of(reason, Map.of("rule", "owner")))));
    assertEquals("d", reasons.get(0).delegationId());
    assertEquals(new Agent("client", "bot", "report-bot"), reasons.get(0).agent());
    assertEquals("action", reasons.get(0).uncovered());
    assertNull(reasons.get(1).agent());
    assertTrue(reasons.get(1).missing().isEmpty());
  }
}
