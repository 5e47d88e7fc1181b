package io.github.daikonauth.client;

import com.google.protobuf.MessageLite;
import io.github.daikonauth.client.DaikonException.Code;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Sends calls over one HTTP/2 connection, which the first call opens. */
final class Connection {
  private static final int MAX_ATTEMPTS = 3;

  /** The maximum delay before the first retry. It doubles with each, and the actual delay is at least half of it. */
  private static final long RETRY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * The number of deadlines after which a connection is replaced. Pings would take longer to find out that nothing
   * arrives any more.
   */
  private static final int MAX_MISSED = 2;

  /** gRPC waits up to two minutes before it connects again. Calls shorten that, at most this often. */
  private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Metadata.Key<String> SERVICE_KEY =
      Metadata.Key.of("x-service-key", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final CallOptions.Key<String> TOKEN = CallOptions.Key.create("token");

  /**
   * How to send a call.
   *
   * @param token the access token that is sent with the call; null without one
   * @param isRepeatable whether the call may be retried
   * @param succeededBefore the reason of an error of a retry that means that an earlier attempt succeeded; null if none
   *     does
   */
  record Attempt(long deadline, String token, boolean isRepeatable, String succeededBefore) {
    static Attempt repeatable(long deadline) {
      return new Attempt(deadline, null, true, null);
    }
  }

  private final String target;
  private final Supplier<ManagedChannel> openChannel;
  private final List<ManagedChannel> replaced = new ArrayList<>();
  private volatile ManagedChannel channel;
  /** The number of deadlines that calls have met on the channel since the last response, and when the last one was. */
  private int missed;
  private long missedAt = System.nanoTime();
  private final String serviceKey;
  private final Semaphore slots;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicLong lastReconnect = new AtomicLong(System.nanoTime() - RECONNECT_NANOS);

  Connection(
      String address, String serviceKey, ChannelCredentials credentials, String serverName, int maxInFlight) {
    this.target = address;
    this.serviceKey = serviceKey;
    this.slots = new Semaphore(maxInFlight, true);
    ChannelCredentials used = credentials;
    if (used == null)
      used = isLoopback(address) ? InsecureChannelCredentials.create() : TlsChannelCredentials.create();
    ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(address, used)
        .disableRetry()
        .disableServiceConfigLookUp()
        // Detects broken connections, and keeps idle ones open behind load balancers.
        .keepAliveTime(10, TimeUnit.SECONDS)
        .keepAliveTimeout(5, TimeUnit.SECONDS)
        .keepAliveWithoutCalls(true)
        .intercept(new Credentials());
    if (serverName != null) builder.overrideAuthority(serverName);
    this.openChannel = builder::build;
    this.channel = builder.build();
  }

  /** Adds the service key and the token of a call. */
  private final class Credentials implements ClientInterceptor {
    @Override
    public <A, B> ClientCall<A, B> interceptCall(
        MethodDescriptor<A, B> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<B> listener, Metadata headers) {
          if (serviceKey != null) headers.put(SERVICE_KEY, serviceKey);
          String token = options.getOption(TOKEN);
          if (token != null) headers.put(AUTHORIZATION, "Bearer " + token);
          super.start(listener, headers);
        }
      };
    }
  }

  /**
   * Sends a call once a slot is free. Returns null only if an earlier attempt of it succeeded.
   *
   * @throws DaikonException if it fails
   */
  <A extends MessageLite, B> B send(MethodDescriptor<A, B> method, A request, Attempt attempt) {
    acquire(attempt.deadline());
    try {
      return sendHoldingSlot(method, request, attempt);
    } finally {
      release();
    }
  }

  /** Like send, for a caller that has acquired a slot. */
  <A extends MessageLite, B> B sendHoldingSlot(MethodDescriptor<A, B> method, A request, Attempt attempt) {
    for (int count = 1; ; count += 1) {
      DaikonException error;
      try {
        return sendOnce(method, request, attempt);
      } catch (StatusRuntimeException failure) {
        error = convert(failure);
      }
      if (count > 1 && error.reason().equals(attempt.succeededBefore())) return null;
      boolean isRetryable = error.code() == Code.UNAVAILABLE && !error.reason().equals("TLS_FAILED");
      long delay = jitter(RETRY_DELAY_NANOS << (count - 1));
      boolean fits = attempt.deadline() - System.nanoTime() > delay;
      if (!attempt.isRepeatable() || !isRetryable || count == MAX_ATTEMPTS || !fits) throw error;
      sleep(delay);
      if (isClosed()) throw closedError();
    }
  }

  private <A, B> B sendOnce(MethodDescriptor<A, B> method, A request, Attempt attempt) {
    if (isClosed()) throw closedError();
    reconnect();
    CallOptions options = CallOptions.DEFAULT
        .withDeadlineAfter(Math.max(attempt.deadline() - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
    if (attempt.token() != null) options = options.withOption(TOKEN, Arguments.requireToken(attempt.token()));
    ManagedChannel used = channel;
    long startedAt = System.nanoTime();
    try {
      B response = ClientCalls.blockingUnaryCall(used, method, options, request);
      observe(used, startedAt, Status.Code.OK);
      return response;
    } catch (StatusRuntimeException failure) {
      Status.Code code = failure.getStatus().getCode();
      // The caller can notice the deadline before gRPC does, and cancel the call.
      boolean isLate = code == Status.Code.CANCELLED && System.nanoTime() - attempt.deadline() >= 0;
      observe(used, startedAt, isLate ? Status.Code.DEADLINE_EXCEEDED : code);
      throw failure;
    }
  }

  /** Opens another connection if calls keep meeting their deadlines on this one. */
  private synchronized void observe(ManagedChannel used, long startedAt, Status.Code code) {
    if (used != channel || code == Status.Code.CANCELLED) return;
    if (code != Status.Code.DEADLINE_EXCEEDED) {
      missed = 0;
      return;
    }
    // Calls that ran at the same time count once.
    if (startedAt - missedAt < 0) return;
    missed += 1;
    missedAt = System.nanoTime();
    if (missed < MAX_MISSED || isClosed()) return;
    missed = 0;
    replaced.removeIf(ManagedChannel::isTerminated);
    replaced.add(used);
    channel = openChannel.get();
    // Running calls and streams continue.
    used.shutdown();
  }

  /** Opens a stream. */
  <A, B> ClientCall<A, B> open(MethodDescriptor<A, B> method) {
    reconnect();
    return channel.newCall(method, CallOptions.DEFAULT);
  }

  private void reconnect() {
    if (channel.getState(false) != ConnectivityState.TRANSIENT_FAILURE) return;
    long now = System.nanoTime();
    long last = lastReconnect.get();
    if (now - last >= RECONNECT_NANOS && lastReconnect.compareAndSet(last, now)) channel.resetConnectBackoff();
  }

  DaikonException convert(StatusRuntimeException failure) {
    if (isClosed()) return closedError();
    if (Thread.currentThread().isInterrupted()) return interruptedError();
    return ServerErrors.read(failure, target);
  }

  /** Takes a slot. The caller must release it. */
  void acquire(long deadline) {
    if (isClosed()) throw closedError();
    try {
      boolean isAcquired = slots.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (!isAcquired) throw queueDeadlineError();
      if (!isClosed()) return;
      release();
      throw closedError();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw isClosed() ? closedError() : interruptedError();
    }
  }

  void release() {
    slots.release();
  }

  /** Waits, at most until the connection is closed. */
  void sleep(long nanos) {
    try {
      closed.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw interruptedError();
    }
  }

  boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Fails all calls. */
  void close() {
    if (isClosed()) return;
    closed.countDown();
    // Wakes the threads that wait for a slot.
    slots.release(1 << 20);
    synchronized (this) {
      channel.shutdownNow();
      replaced.forEach(ManagedChannel::shutdownNow);
    }
  }

  static long jitter(long nanos) {
    return (long) (nanos * (0.5 + ThreadLocalRandom.current().nextDouble() / 2));
  }

  static DaikonException closedError() {
    String message = "The client was closed. Call close() only when it is no longer needed";
    return DaikonException.of(Code.CANCELLED, "CANCELLED", message);
  }

  static DaikonException interruptedError() {
    return DaikonException.of(Code.CANCELLED, "CANCELLED", "The thread was interrupted");
  }

  static DaikonException queueDeadlineError() {
    String message = "The deadline passed while the operation waited for others. Start fewer concurrently, or raise "
        + "maxInFlight";
    return DaikonException.of(Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", message);
  }

  static DaikonException responseDeadlineError() {
    String message = "daikon did not respond before the deadline. Check the load of daikon and its database, or raise "
        + "the timeout";
    return DaikonException.of(Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", message);
  }

  private static boolean isLoopback(String address) {
    if (address.startsWith("unix:")) return true;
    String authority = address.replaceFirst("^dns:(//[^/]*/)?", "");
    String host = authority.replaceFirst(":\\d+$", "").replaceFirst("^\\[(.*)]$", "$1");
    return host.matches("localhost|127(\\.\\d+){3}|::1");
  }
}
