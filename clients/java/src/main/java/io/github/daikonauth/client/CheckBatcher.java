package io.github.daikonauth.client;

import com.google.protobuf.Struct;
import io.grpc.Context;
import io.github.daikonauth.client.Arguments.SubjectName;
import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.v1.AccessAction;
import io.github.daikonauth.v1.AccessResource;
import io.github.daikonauth.v1.AccessServiceGrpc;
import io.github.daikonauth.v1.EvaluateBatchRequest;
import io.github.daikonauth.v1.EvaluateBatchResponse;
import io.github.daikonauth.v1.Evaluation;
import io.github.daikonauth.v1.EvaluationItem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends the checks of concurrent threads in shared calls. The queue is sent as soon as a thread of the batcher runs and
 * a slot is free; checks that start until then share the call.
 */
final class CheckBatcher {
  /** The limit of the server. */
  private static final int MAX_ITEMS = 1000;

  /** The maximum size of a batch. The server accepts 4 MiB. */
  private static final int MAX_BYTES = 3 << 20;

  /** The maximum number of encoded bytes of an item, excluding its strings. */
  private static final int ITEM_OVERHEAD = 40;

  /** A check. Identical checks that have not been sent yet share an item. */
  private record Key(SubjectName subject, String action, Resource resource, Struct context) {
    int bytes() {
      int strings = subject.id().length() + action.length() + resource.type().length() + resource.id().length();
      return strings * 3 + (context == null ? 0 : context.getSerializedSize()) + ITEM_OVERHEAD;
    }
  }

  private static final class Item {
    final Key key;
    final List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
    long deadline;
    /** The call that the item was sent in. */
    Batch batch;

    Item(Key key, long deadline) {
      this.key = key;
      this.deadline = deadline;
    }
  }

  /** A call. It is cancelled when none of its items has a waiter. */
  private static final class Batch {
    final List<Item> items = new ArrayList<>();
    final Context.CancellableContext context = Context.ROOT.withCancellation();
  }

  private final Connection connection;
  private final String service;
  private final ThreadPoolExecutor senders;
  private final Object lock = new Object();
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private final Map<Key, Item> unsent = new HashMap<>();
  private boolean isSending;

  CheckBatcher(Connection connection, String service) {
    this.connection = connection;
    this.service = service;
    senders = new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
          Thread thread = new Thread(task, "daikon-checks");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Adds a check. The future fails with a DaikonException. */
  CompletableFuture<Boolean> add(Check check, Map<String, ?> context, long deadline) {
    SubjectName subject = Arguments.nameSubject(check.subject());
    Arguments.requireAction(check.action());
    Resource resource = Arguments.requireResource(check.resource());
    Struct input = Arguments.readContext(check.context() == null ? context : check.context());
    Key key = new Key(subject, check.action(), resource, input);
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    Item item;
    synchronized (lock) {
      if (connection.isClosed()) throw Connection.closedError();
      item = unsent.get(key);
      if (item == null) {
        item = new Item(key, deadline);
        unsent.put(key, item);
        queue.add(item);
      }
      item.deadline = Math.max(item.deadline, deadline);
      item.waiters.add(result);
      if (!isSending) {
        isSending = true;
        senders.execute(this::sendQueue);
      }
    }
    return expire(result, item, deadline);
  }

  /** Fails a check at its deadline. */
  private CompletableFuture<Boolean> expire(CompletableFuture<Boolean> result, Item item, long deadline) {
    long remaining = Math.max(deadline - System.nanoTime(), 0);
    // A call that reaches the same deadline reports more than the timer can.
    long patience = TimeUnit.MILLISECONDS.toNanos(20);
    CompletableFuture<Boolean> reported = new CompletableFuture<>();
    result.orTimeout(remaining + patience, TimeUnit.NANOSECONDS).whenComplete((isAllowed, error) -> {
      if (error instanceof TimeoutException) {
        boolean isSent = leave(item, result);
        reported.completeExceptionally(
            isSent ? Connection.responseDeadlineError() : Connection.queueDeadlineError());
      } else if (error != null) {
        reported.completeExceptionally(error);
      } else {
        reported.complete(isAllowed);
      }
    });
    reported.whenComplete((isAllowed, error) -> {
      // The caller has completed it, as cancel does.
      if (result.cancel(false)) leave(item, result);
    });
    return reported;
  }

  /** Removes a waiter, and cancels a call that nobody waits for any more. Returns whether the item was sent. */
  private boolean leave(Item item, CompletableFuture<Boolean> waiter) {
    Batch batch;
    boolean isWaiting;
    synchronized (lock) {
      item.waiters.remove(waiter);
      batch = item.batch;
      isWaiting = batch == null || batch.items.stream().anyMatch(other -> !other.waiters.isEmpty());
    }
    if (!isWaiting) batch.context.cancel(null);
    return batch != null;
  }

  /** Sends the queue: the first batch in this thread, further ones in others. */
  private void sendQueue() {
    try {
      connection.acquire(System.nanoTime() + TimeUnit.DAYS.toNanos(1));
    } catch (DaikonException error) {
      failQueue(error);
      return;
    }
    try {
      Batch batch = takeBatch();
      if (!batch.items.isEmpty()) batch.context.run(() -> send(batch.items));
    } finally {
      connection.release();
    }
  }

  private Batch takeBatch() {
    Batch batch = new Batch();
    List<Item> items = batch.items;
    int bytes = 0;
    synchronized (lock) {
      while (!queue.isEmpty() && items.size() < MAX_ITEMS) {
        Item item = queue.peek();
        int size = item.key.bytes() + service.length();
        if (!items.isEmpty() && bytes + size > MAX_BYTES) break;
        queue.remove();
        unsent.remove(item.key);
        if (item.waiters.isEmpty()) continue;
        bytes += size;
        item.batch = batch;
        items.add(item);
      }
      isSending = !queue.isEmpty();
      if (isSending) senders.execute(this::sendQueue);
    }
    return batch;
  }

  private void send(List<Item> batch) {
    EvaluateBatchRequest.Builder request = EvaluateBatchRequest.newBuilder();
    long deadline = batch.get(0).deadline;
    for (Item item : batch) {
      deadline = Math.max(deadline, item.deadline);
      EvaluationItem.Builder evaluation = request.addEvaluationsBuilder()
          .setSubject(item.key.subject().message())
          .setAction(AccessAction.newBuilder().setName(item.key.action()))
          .setResource(AccessResource.newBuilder()
              .setType(service + ":" + item.key.resource().type())
              .setId(item.key.resource().id()));
      if (item.key.context() != null) evaluation.setContext(item.key.context());
    }
    try {
      EvaluateBatchResponse response = connection.sendHoldingSlot(
          AccessServiceGrpc.getEvaluateBatchMethod(), request.build(), Connection.Attempt.repeatable(deadline));
      settle(batch, response.getEvaluationsList());
    } catch (RuntimeException | Error error) {
      for (Item item : batch) fail(item, error);
    }
  }

  private void settle(List<Item> batch, List<Evaluation> evaluations) {
    for (int index = 0; index < batch.size(); index += 1) {
      Item item = batch.get(index);
      if (index >= evaluations.size()) {
        String message = "daikon returned fewer results than checks";
        fail(item, DaikonException.of(Code.INTERNAL, "INTERNAL", message));
        continue;
      }
      Evaluation evaluation = evaluations.get(index);
      DaikonException error = evaluation.getDecision() ? null : Records.readItemError(evaluation.getContext());
      if (error == null && !evaluation.getDecision())
        error = Tokens.deniedTokenError(item.key.subject(), evaluation.getContext());
      if (error != null) fail(item, error);
      else for (CompletableFuture<Boolean> waiter : waitersOf(item)) waiter.complete(evaluation.getDecision());
    }
  }

  private void fail(Item item, Throwable error) {
    for (CompletableFuture<Boolean> waiter : waitersOf(item)) waiter.completeExceptionally(error);
  }

  private List<CompletableFuture<Boolean>> waitersOf(Item item) {
    synchronized (lock) {
      return List.copyOf(item.waiters);
    }
  }

  private void failQueue(DaikonException error) {
    List<Item> items;
    synchronized (lock) {
      items = List.copyOf(queue);
      queue.clear();
      unsent.clear();
      isSending = false;
    }
    for (Item item : items) fail(item, error);
  }

  /** Fails all checks that have not been sent. The connection, which is closed first, fails the others. */
  void close() {
    failQueue(Connection.closedError());
  }
}
