package io.github.daikonauth.client;

import io.github.daikonauth.client.Arguments.SubjectName;
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
 */
record FakeSubject(
    String kind,
    String id,
    String externalId,
    boolean isKnown,
    boolean isActive,
    boolean mayViewPublic,
    String workspaceId,
    String home) {
  static final FakeSubject NOBODY = unknown("anonymous", true);

  private static FakeSubject unknown(String kind, boolean mayViewPublic) {
    return new FakeSubject(kind, "", "", false, true, mayViewPublic, null, null);
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
        return ofUser(state, claims.subject(), claims.workspaceId());
      case "group":
        return ofGroup(state, name.id());
      default:
        User user = state.findUser(name.id());
        return user == null ? unknown("user", true) : ofUser(state, user.id(), null);
    }
  }

  static FakeSubject ofUser(FakeState state, String userId, String workspaceId) {
    User user = state.world.users.get(userId);
    if (user == null) return unknown("user", false);
    return new FakeSubject(
        "user", user.id(), user.externalId(), true, user.isActive(), user.isActive(), workspaceId, null);
  }

  static FakeSubject ofGroup(FakeState state, String id) {
    Group group = state.world.groups.get(id);
    if (group == null) return new FakeSubject("group", id, "", false, true, false, null, null);
    return new FakeSubject("group", id, "", true, true, true, null, group.workspaceId());
  }

  private static FakeSubject ofLink(FakeState state, String token) {
    for (FakeState.Entry entry : state.resources.values())
      for (NewLink created : entry.links) {
        if (!created.token().equals(token) || !FakeState.isCurrent(created.link().expiresAt())) continue;
        return new FakeSubject("link", created.link().id(), "", true, true, true, null, entry.workspaceId);
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
