package io.github.daikonauth.client;

import io.github.daikonauth.client.FakeState.Delegated;
import io.github.daikonauth.client.FakeState.Entry;
import io.github.daikonauth.client.FakeWorld.User;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decides for agents that act for users. */
final class FakeDelegations {
  private FakeDelegations() {}

  /**
   * What a delegation is asked to cover.
   *
   * @param workspaceId the workspace, or the one of the resource; null if it is unknown
   * @param resource null for a workspace, which no list of resources contains, and if it is unknown
   * @param isKnown whether the resource exists for the user; otherwise it is no reason that it is not covered
   */
  record Asked(String action, String type, String workspaceId, Entry resource, boolean isKnown) {}

  /** Adds to a decision about a user what the delegation says. */
  static Explanation decide(FakeState state, Delegated delegated, Asked asked, Explanation ofUser) {
    List<Reason> reasons = new ArrayList<>(ofUser.reasons());
    List<Reason> denials = findDenials(state, delegated, asked);
    if (!denials.isEmpty()) {
      if (ofUser.allowed()) reasons.clear();
      reasons.addAll(denials);
      return new Explanation(false, reasons);
    }
    if (!ofUser.allowed()) return ofUser;
    reasons.add(reason("delegation", delegated, delegated.delegation().expiresAt, null));
    return new Explanation(true, reasons);
  }

  /** Returns why a delegation does not allow what its user may do: nothing if it does. */
  private static List<Reason> findDenials(FakeState state, Delegated delegated, Asked asked) {
    FakeDelegation delegation = delegated.delegation();
    User user = state.world.users.get(delegation.userId);
    boolean isMember = user.isActive() && state.roleOf(delegation.workspaceId, user.id()) != null;
    if (delegation.isEnded || !isMember) return List.of(reason("delegation_ended", delegated, null, null));
    Instant expiresAt = delegation.expiresAt;
    if (!FakeState.isCurrent(expiresAt)) return List.of(reason("delegation_expired", delegated, expiresAt, null));
    List<Reason> denials = new ArrayList<>();
    for (String uncovered : findUncovered(state, delegated, asked))
      denials.add(reason("delegation_does_not_cover", delegated, null, uncovered));
    return denials;
  }

  private static List<String> findUncovered(FakeState state, Delegated delegated, Asked asked) {
    FakeDelegation delegation = delegated.delegation();
    List<String> uncovered = new ArrayList<>();
    if (!coversName(delegation.actions, asked.action(), "manage")) uncovered.add("action");
    boolean coversType = delegated.service().equals(state.world.service)
        && coversName(delegation.resourceTypes, asked.type(), FakeTypes.WORKSPACE);
    if (!coversType) uncovered.add("type");
    if (asked.isKnown() && !coversResource(delegated, asked)) uncovered.add("resource");
    return uncovered;
  }

  /** Whether a list contains a name. One that is null contains all but the name that must be listed. */
  private static boolean coversName(List<String> names, String name, String listedOnly) {
    return names == null ? !name.equals(listedOnly) : names.contains(name);
  }

  private static boolean coversResource(Delegated delegated, Asked asked) {
    if (!delegated.delegation().workspaceId.equals(asked.workspaceId())) return false;
    if (delegated.resources() == null) return true;
    Entry resource = asked.resource();
    // A resource that is registered again is another one.
    return resource != null && resource.reached().stream().anyMatch(delegated.resources()::contains);
  }

  private static Reason reason(String rule, Delegated delegated, Instant expiresAt, String uncovered) {
    FakeDelegation delegation = delegated.delegation();
    return new Reason(
        rule, null, null, null, null, null, expiresAt, null, List.of(), null, null, delegation.id,
        delegation.agent, uncovered);
  }
}
