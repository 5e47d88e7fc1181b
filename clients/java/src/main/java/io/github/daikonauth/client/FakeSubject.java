package io.github.daikonauth.client;

import io.github.daikonauth.client.Arguments.SubjectName;
import io.github.daikonauth.client.FakeState.Delegated;
import io.github.daikonauth.client.FakeWorld.Group;
import io.github.daikonauth.client.FakeWorld.User;
import java.util.Set;

/**
 * A subject of decisions.
 *
 * @param kind user, group, link or anonymous
 * @param id the ID of the user, group or link
 * @param isKnown whether the user, group or link exists, and the token is valid
 * @param mayViewPublic whether the subject may view what is public
 * @param workspaceId the workspace of the token, to which decisions are restricted; null without a token
 * @param home the workspace of a group or link; null for a user
 * @param delegated the delegation by which an agent acts for the user; null without one
 */
record FakeSubject(
    String kind,
    String id,
    String externalId,
    boolean isKnown,
    boolean isActive,
    boolean mayViewPublic,
    String workspaceId,
    String home,
    Delegated delegated) {
  static final FakeSubject NOBODY = unknown("anonymous", true);

  private static FakeSubject unknown(String kind, boolean mayViewPublic) {
    return new FakeSubject(kind, "", "", false, true, mayViewPublic, null, null, null);
  }

  static FakeSubject find(FakeState state, Subject subject, Set<String> revoked) {
    SubjectName name = Arguments.nameSubject(subject);
    switch (name.type()) {
      case "anonymous":
        return NOBODY;
      case "link":
        return ofLink(state, name.id());
      case "api_key":
        return unknown("user", false);
      case "access_token":
        Claims claims = Tokens.readFake(name.id());
        if (revoked.contains(name.id())) return unknown("user", false);
        return ofToken(state, claims);
      case "delegation":
        Delegated delegated = state.delegations.get(name.id());
        // A service knows only the delegations for itself.
        boolean isOwn = delegated != null && delegated.service().equals(state.world.service);
        return isOwn ? ofDelegation(state, delegated) : unknown("user", false);
      case "group":
        return ofGroup(state, name.id());
      default:
        User user = state.findUser(name.id());
        return user == null ? unknown("user", true) : ofUser(state, user.id(), null);
    }
  }

  /** Returns whom an access token names. */
  static FakeSubject ofToken(FakeState state, Claims claims) {
    if (claims.delegationId() == null) return ofUser(state, claims.subject(), claims.workspaceId());
    Delegated delegated = state.delegations.get(claims.delegationId());
    return delegated == null ? unknown("user", false) : ofDelegation(state, delegated);
  }

  /** Returns the user of a delegation, in the workspace of the delegation. */
  private static FakeSubject ofDelegation(FakeState state, Delegated delegated) {
    FakeDelegation delegation = delegated.delegation();
    FakeSubject user = ofUser(state, delegation.userId, delegation.workspaceId);
    return new FakeSubject(
        user.kind(), user.id(), user.externalId(), user.isKnown(), user.isActive(), user.mayViewPublic(),
        user.workspaceId(), user.home(), delegated);
  }

  static FakeSubject ofUser(FakeState state, String userId, String workspaceId) {
    User user = state.world.users.get(userId);
    if (user == null) return unknown("user", false);
    return new FakeSubject(
        "user", user.id(), user.externalId(), true, user.isActive(), user.isActive(), workspaceId, null, null);
  }

  static FakeSubject ofGroup(FakeState state, String id) {
    Group group = state.world.groups.get(id);
    if (group == null) return new FakeSubject("group", id, "", false, true, false, null, null, null);
    return new FakeSubject("group", id, "", true, true, true, null, group.workspaceId(), null);
  }

  private static FakeSubject ofLink(FakeState state, String token) {
    for (FakeState.Entry entry : state.resources.values())
      for (NewLink created : entry.links) {
        if (!created.token().equals(token) || !FakeState.isCurrent(created.link().expiresAt())) continue;
        return new FakeSubject("link", created.link().id(), "", true, true, true, null, entry.workspaceId, null);
      }
    return unknown("link", false);
  }

  boolean isLink() {
    return kind.equals("link");
  }

  /** Whether the visibility {@code workspace} is nothing to it: to guests, and to a group that contains one. */
  boolean isGuestIn(FakeState state, String workspaceId) {
    return switch (kind) {
      case "user" -> state.isGuest(workspaceId, id);
      case "group" -> state.hasGuest(workspaceId, id);
      default -> false;
    };
  }

  /** Returns the role in a workspace; null if there is none. A group or link counts as a viewer of its own. */
  String roleIn(FakeState state, String workspaceId) {
    if (kind.equals("user")) return state.roleOf(workspaceId, id);
    return workspaceId.equals(home) ? "viewer" : null;
  }
}
