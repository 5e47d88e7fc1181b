package io.github.daikonauth.client;

import java.util.List;
import java.util.function.Consumer;

/** Selects the events of {@link DaikonClient#watch}. */
public final class WatchOptions {
  String cursor;
  String workspaceId;
  List<String> actions = List.of();
  Consumer<DaikonException> onDisconnect = error -> {};

  /**
   * Begins after a cursor. {@code earliest} begins with the oldest event that is retained. By default, only new events
   * are returned.
   */
  public WatchOptions cursor(String cursor) {
    this.cursor = cursor;
    return this;
  }

  /** Returns only events in a workspace. */
  public WatchOptions workspaceId(String workspaceId) {
    this.workspaceId = workspaceId;
    return this;
  }

  /** Returns only these actions. {@code member.*} selects all that begin with {@code member.}. */
  public WatchOptions actions(String... actions) {
    this.actions = List.of(actions);
    return this;
  }

  /** Sets what is called when the connection has ended, before the next attempt. Use it for a log. */
  public WatchOptions onDisconnect(Consumer<DaikonException> onDisconnect) {
    this.onDisconnect = onDisconnect;
    return this;
  }
}
