package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.daikonauth.v1.AccessServiceGrpc;
import io.github.daikonauth.v1.EvaluateBatchRequest;
import io.github.daikonauth.v1.EvaluateBatchResponse;
import io.github.daikonauth.v1.Evaluation;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientTest {
  private static final Subject ALICE = Subject.userId("alice");

  /** Allows every action but delete. Answers only once it is released. */
  private final class Stub extends AccessServiceGrpc.AccessServiceImplBase {
    final BlockingQueue<EvaluateBatchRequest> requests = new LinkedBlockingQueue<>();
    final BlockingQueue<EvaluateBatchRequest> cancelled = new LinkedBlockingQueue<>();
    final CountDownLatch released = new CountDownLatch(1);
    volatile int failures;

    @Override
    public void evaluateBatch(EvaluateBatchRequest request, StreamObserver<EvaluateBatchResponse> observer) {
      // The handler of the observer would wait for this method.
      Context.current().addListener(context -> {
        if (context.cancellationCause() != null) cancelled.add(request);
      }, Runnable::run);
      requests.add(request);
      if (failures > 0) {
        failures -= 1;
        observer.onError(Status.UNAVAILABLE.withDescription("restarting").asRuntimeException());
        return;
      }
      try {
        released.await();
      } catch (InterruptedException interrupted) {
        return;
      }
      EvaluateBatchResponse.Builder response = EvaluateBatchResponse.newBuilder();
      request.getEvaluationsList().forEach(item -> response.addEvaluations(
          Evaluation.newBuilder().setDecision(!item.getAction().getName().equals("delete"))));
      observer.onNext(response.build());
      observer.onCompleted();
    }
  }

  private final Stub stub = new Stub();
  private Server server;

  @BeforeEach
  void start() throws IOException {
    server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()).addService(stub).build().start();
  }

  @AfterEach
  void stop() {
    stub.released.countDown();
    server.shutdownNow();
  }

  private DaikonClient connect(Duration timeout) {
    return connect(server.getPort(), timeout);
  }

  private static DaikonClient connect(int port, Duration timeout) {
    return DaikonClient.builder()
        .address("localhost:" + port)
        .service("docs")
        .developmentMode()
        .timeout(timeout)
        .maxInFlight(1)
        .build();
  }

  @Test
  void checksThatWaitForASlotShareACallInWhichIdenticalOnesAreSentOnce() throws Exception {
    try (DaikonClient daikon = connect(Duration.ofMinutes(1))) {
      CompletableFuture<Boolean> first = daikon.checkAsync(ALICE, "view", new Resource("document", "first"));
      assertEquals(1, stub.requests.take().getEvaluationsCount());
      List<CompletableFuture<Boolean>> others = new ArrayList<>();
      for (int index = 0; index < 100; index += 1) {
        Resource resource = new Resource("document", String.valueOf(index / 2));
        others.add(daikon.checkAsync(ALICE, index % 4 < 2 ? "view" : "delete", resource));
      }
      stub.released.countDown();
      assertTrue(first.join());
      for (int index = 0; index < 100; index += 1) assertEquals(index % 4 < 2, others.get(index).join());
      assertEquals(50, stub.requests.take().getEvaluationsCount());
      assertTrue(stub.requests.isEmpty());
    }
  }

  @Test
  void aCallIsCancelledOnceAllItsCallersHaveCancelled() throws Exception {
    try (DaikonClient daikon = connect(Duration.ofMinutes(1))) {
      Resource resource = new Resource("document", "1");
      CompletableFuture<Boolean> first = daikon.checkAsync(ALICE, "view", new Resource("document", "first"));
      stub.requests.take();
      List<CompletableFuture<Boolean>> others =
          List.of(daikon.checkAsync(ALICE, "view", resource), daikon.checkAsync(ALICE, "edit", resource));
      first.cancel(true);
      assertNotNull(stub.cancelled.poll(20, TimeUnit.SECONDS));
      // The slot is free, although the stub has not responded.
      assertEquals(2, stub.requests.take().getEvaluationsCount());
      others.get(0).cancel(true);
      stub.released.countDown();
      assertTrue(others.get(1).join());
      assertTrue(stub.cancelled.isEmpty());
    }
  }

  @Test
  void unavailableIsRetried() {
    stub.released.countDown();
    stub.failures = 2;
    try (DaikonClient daikon = connect(Duration.ofMinutes(1))) {
      assertTrue(daikon.check(ALICE, "view", new Resource("document", "1")));
    }
    assertEquals(3, stub.requests.size());
  }

  @Test
  void operationsFailAtTheirDeadlineAndWhenTheClientIsClosed() {
    Resource resource = new Resource("document", "1");
    DaikonClient daikon = connect(Duration.ofMinutes(1));
    Options.ForAny timeout = Options.timeout(Duration.ofMillis(50));
    assertThrows(DeadlineExceededException.class, () -> daikon.check(ALICE, "view", resource, timeout));
    CompletableFuture<Boolean> pending = daikon.checkAsync(ALICE, "edit", resource);
    daikon.close();
    Throwable cause = assertThrows(Exception.class, pending::get).getCause();
    assertTrue(cause instanceof CancelledException, String.valueOf(cause));
    assertThrows(CancelledException.class, () -> daikon.check(ALICE, "view", resource));
  }

  @Test
  void aConnectionOnWhichTwoDeadlinesPassIsReplaced() throws Exception {
    stub.released.countDown();
    Resource resource = new Resource("document", "1");
    try (Proxy proxy = new Proxy(server.getPort());
        DaikonClient daikon = connect(proxy.port(), Duration.ofMinutes(1))) {
      assertTrue(daikon.check(ALICE, "view", resource));
      proxy.silence();
      Options.ForAny timeout = Options.timeout(Duration.ofMillis(200));
      for (int count = 0; count < 2; count += 1) {
        assertEquals(1, proxy.connections());
        assertThrows(DeadlineExceededException.class, () -> daikon.check(ALICE, "view", resource, timeout));
      }
      // Less than the 15 seconds after which pings find out.
      assertTrue(daikon.check(ALICE, "view", resource, Options.timeout(Duration.ofSeconds(9))));
      assertEquals(2, proxy.connections());
    }
  }

  @Test
  void unreachableAddressesAndServersWithoutTlsAreReported() {
    int port = server.getPort();
    DaikonClientBuilder builder = DaikonClient.builder().address("localhost:" + port).service("docs").developmentMode();
    try (DaikonClient daikon = builder.credentials(TlsChannelCredentials.create()).build()) {
      DaikonException error = assertThrows(
          UnavailableException.class, () -> daikon.check(ALICE, "view", new Resource("document", "1")));
      assertEquals("TLS_FAILED", error.reason(), error.getMessage());
    }
    server.shutdownNow();
    try (DaikonClient daikon = connect(port, Duration.ofMinutes(1))) {
      DaikonException error = assertThrows(
          UnavailableException.class, () -> daikon.check(ALICE, "view", new Resource("document", "1")));
      assertEquals("UNREACHABLE", error.reason(), error.getMessage());
    }
  }

  @Test
  void messagesNameTheArgumentsOfJava() {
    try (DaikonClient daikon = connect(Duration.ofMinutes(1))) {
      Registration registration = Registration.of("document", "1").workspaceId("w");
      DaikonException error = assertThrows(InvalidArgumentException.class, () -> daikon.register(registration));
      assertEquals("ownerId is required, or ownerEmail or ownerExternalId", error.getMessage());
    }
    DaikonClientBuilder builder = DaikonClient.builder().address("localhost").service("docs");
    DaikonException error = assertThrows(InvalidArgumentException.class, builder::build);
    assertEquals("address", error.fields().get(0).field());
    builder.address("localhost:50051");
    for (String missing : new String[] {null, ""}) {
      builder.serviceKey(missing);
      error = assertThrows(InvalidArgumentException.class, builder::build);
      assertEquals("serviceKey", error.fields().get(0).field());
    }
  }

  @Test
  void webhooksAreVerified() throws Exception {
    byte[] key = "a secret of 24 characters".getBytes(StandardCharsets.UTF_8);
    String secret = "whsec_" + Base64.getEncoder().encodeToString(key);
    String body = "{\"type\":\"permission.shared\",\"timestamp\":\"2026-01-31T00:00:00Z\",\"position\":7,\"data\":{}}";
    String now = String.valueOf(System.currentTimeMillis() / 1000);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    byte[] hash = mac.doFinal(("evt_1." + now + "." + body).getBytes(StandardCharsets.UTF_8));
    Map<String, String> headers = Map.of(
        "webhook-id", "evt_1",
        "webhook-timestamp", now,
        "webhook-signature", "v1,AAAA v1," + Base64.getEncoder().encodeToString(hash));
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    WebhookEvent event = Webhooks.verifyWebhook(List.of("whsec_AAAA", secret), headers::get, bytes);
    assertEquals(new WebhookEvent("evt_1", "permission.shared", "2026-01-31T00:00:00Z", 7L, Map.of()), event);
    assertThrows(
        InvalidWebhookException.class, () -> Webhooks.verifyWebhook(List.of("whsec_AAAA"), headers::get, bytes));
    Map<String, String> old = Map.of(
        "webhook-id", "evt_1", "webhook-timestamp", "1", "webhook-signature", headers.get("webhook-signature"));
    assertThrows(InvalidWebhookException.class, () -> Webhooks.verifyWebhook(List.of(secret), old::get, bytes));
  }

  @Test
  void secretsAreNotPrinted() {
    assertFalse(Subject.token("secret").toString().contains("secret"));
  }
}
