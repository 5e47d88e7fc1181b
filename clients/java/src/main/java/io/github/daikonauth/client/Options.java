package io.github.daikonauth.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The options of operations. Each interface names the operations that accept an option. */
public final class Options {
  private Options() {}

  interface Option {
    void apply(Settings settings);
  }

  /** An option of check, checkMany and explain. */
  public interface ForCheck extends Option {}

  /** An option of accessible. */
  public interface ForAccessible extends Option {}

  /** An option of subjects. */
  public interface ForSubjects extends Option {}

  /** An option of share. */
  public interface ForShare extends Option {}

  /** An option of createLink. */
  public interface ForLink extends Option {}

  /** An option of unregister. */
  public interface ForUnregister extends Option {}

  /** An option of setParent. */
  public interface ForParent extends Option {}

  /** An option of declareType. */
  public interface ForDeclare extends Option {}

  /** An option of verifyAccessToken. */
  public interface ForToken extends Option {}

  /** An option of every operation that changes a resource. */
  public interface ForChange extends ForShare, ForLink, ForUnregister, ForParent {}

  /** An option of every operation that decides. */
  public interface ForDecision extends ForCheck, ForAccessible, ForSubjects, ForChange {}

  /** An option of share and createLink. */
  public interface ForGrant extends ForShare, ForLink {}

  /** An option of every operation. */
  public interface ForAny extends ForDecision, ForDeclare {}

  /**
   * Passes the access token of the user who makes the change. That user must be allowed to manage the resource. share
   * and the operations on links require it; other changes without it are made in the name of your service.
   */
  public static ForChange as(String token) {
    return settings -> settings.token = token;
  }

  /**
   * Sets what conditions read as {@code context}: JSON values by name, at most 16 KiB. With a change, these are the
   * conditions that {@code manage} requires.
   */
  public static ForDecision context(Map<String, ?> context) {
    return settings -> settings.context = context;
  }

  /** Sets the time limit of the operation, including waiting and retries. It overrides the one of the client. */
  public static ForAny timeout(Duration timeout) {
    return settings -> settings.timeout = timeout;
  }

  /** Sets when a share or link ends. */
  public static ForGrant expiresAt(Instant end) {
    return settings -> settings.expiresAt = end;
  }

  /** Sets the condition under which a share or link counts. By default, it always does. */
  public static ForGrant onlyIf(Condition condition) {
    return settings -> settings.condition = condition;
  }

  /** Sets a name by which people tell links apart. */
  public static ForLink name(String name) {
    return settings -> settings.name = name;
  }

  /** Restricts the list to one workspace. By default, it includes every workspace of the subject. */
  public static ForAccessible workspaceId(String workspaceId) {
    return settings -> settings.workspaceId = workspaceId;
  }

  /** Lists groups instead of users. */
  public static ForSubjects groups() {
    return settings -> settings.listsGroups = true;
  }

  /** Unregisters everything below the resource, too. */
  public static ForUnregister cascade() {
    return settings -> settings.cascade = true;
  }

  /** Sets whether the resource inherits the grants of its parent. By default, this does not change. */
  public static ForParent inherits(boolean inherits) {
    return settings -> settings.inherits = inherits;
  }

  /**
   * Requires a token that is limited to the API with this URI. Such a token says nothing about the person: its
   * {@code workspaceSlug} is empty, and its {@code role} is {@code viewer}.
   */
  public static ForToken audience(String uri) {
    return settings -> settings.audience = uri;
  }

  /**
   * Accepts tokens with which an agent acts for a user, too. {@link Claims#agent} names the agent, and a check of the
   * token decides for both.
   */
  public static ForToken delegated() {
    return settings -> settings.delegated = true;
  }

  /** Changes nothing, and returns what uses the current declaration. */
  public static ForDeclare dryRun() {
    return settings -> settings.dryRun = true;
  }

}
