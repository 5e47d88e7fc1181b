package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.v1.ActivityServiceGrpc;
import io.github.daikonauth.v1.WatchActivityRequest;
import io.github.daikonauth.v1.WatchActivityResponse;
import io.grpc.ClientCall;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Follows the activity log. It reconnects after the last message that you have received, so that no event is missed.
 * {@link #hasNext} waits for a message; it returns false once the watch or its client is closed. One thread reads; any
 * thread may close.
 */
public final class Watch implements Iterable<WatchMessage>, Iterator<WatchMessage>, AutoCloseable {
  private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_DELAY = TimeUnit.SECONDS.toNanos(5);

  /** Errors that the next attempt would return, too. */
  private static final Set<Code> FINAL_CODES = Set.of(
      Code.INVALID_ARGUMENT,
      Code.OUT_OF_RANGE,
      Code.UNAUTHENTICATED,
      Code.PERMISSION_DENIED,
      Code.NOT_FOUND,
      Code.FAILED_PRECONDITION,
      Code.UNIMPLEMENTED);

  private final Connection connection;
  private final WatchActivityRequest.Builder request;
  private final Consumer<DaikonException> onDisconnect;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile ClientCall<WatchActivityRequest, WatchActivityResponse> call;
  private Iterator<WatchActivityResponse> stream;
  private long delay = FIRST_DELAY;

  Watch(Connection connection, WatchOptions options) {
    this.connection = connection;
    this.onDisconnect = options.onDisconnect;
    request = WatchActivityRequest.newBuilder().addAllActions(options.actions);
    if (options.cursor != null) request.setCursor(options.cursor);
    if (options.workspaceId != null) request.setWorkspaceId(options.workspaceId);
  }

  @Override
  public Iterator<WatchMessage> iterator() {
    return this;
  }

  /**
   * Waits for the next message.
   *
   * @throws CursorGoneException if events after the cursor are no longer retained
   * @throws DaikonException for arguments and credentials that are not valid
   */
  @Override
  public boolean hasNext() {
    while (!isClosed()) {
      DaikonException error;
      try {
        if (stream == null) open();
        if (stream.hasNext()) return true;
        error = DaikonException.of(Code.UNAVAILABLE, "STREAM_ENDED", "The server has ended the stream");
      } catch (StatusRuntimeException failure) {
        error = connection.convert(failure);
      }
      stream = null;
      if (isClosed()) return false;
      boolean isFinal = FINAL_CODES.contains(error.code()) || error.reason().equals("TLS_FAILED");
      if (isFinal || Thread.currentThread().isInterrupted()) {
        close();
        throw error;
      }
      onDisconnect.accept(error);
      long retryAfter = error.retryAfter() == null ? 0 : error.retryAfter().toNanos();
      await(Math.max(Connection.jitter(delay), retryAfter));
      delay = Math.min(delay * 2, MAX_DELAY);
    }
    return false;
  }

  /** Returns the next message, for which it waits. */
  @Override
  public WatchMessage next() {
    if (!hasNext()) throw new NoSuchElementException("The watch is closed");
    WatchActivityResponse message = stream.next();
    request.setCursor(message.getCursor());
    delay = FIRST_DELAY;
    return Records.readMessage(message);
  }

  private void open() {
    call = connection.open(ActivityServiceGrpc.getWatchMethod());
    stream = ClientCalls.blockingServerStreamingCall(call, request.build());
    // close may have run before there was a call to cancel.
    if (closed.getCount() == 0) cancel();
  }

  /** Waits, at most until the watch or the client is closed. */
  private void await(long nanos) {
    long end = System.nanoTime() + nanos;
    long step = TimeUnit.MILLISECONDS.toNanos(50);
    for (long left = nanos; left > 0 && !isClosed(); left = end - System.nanoTime()) {
      try {
        if (closed.await(Math.min(left, step), TimeUnit.NANOSECONDS)) return;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw Connection.interruptedError();
      }
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0 || connection.isClosed();
  }

  private void cancel() {
    if (call != null) call.cancel("The watch was closed", null);
  }

  /** Ends the watch. */
  @Override
  public void close() {
    closed.countDown();
    cancel();
  }
}
