package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.DaikonException.Details;
import io.github.daikonauth.client.FakeState.Entry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The rights of the users who make changes to a fake. */
final class FakeRights {
  final Set<String> revoked = new HashSet<>();
  private final FakeState state;

  FakeRights(FakeState state) {
    this.state = state;
  }

  /** Requires that the client names the service of the key. */
  void requireOwnService() {
    String keyService = state.world.keyService;
    if (keyService == null || keyService.equals(state.world.service)) return;
    String message = ServerErrors.withAdvice("OTHER_SERVICE", "The service key is limited to " + keyService);
    throw DaikonException.of(Code.PERMISSION_DENIED, "OTHER_SERVICE", message);
  }

  /** Returns the claims of a token, which is required. */
  Claims requireUser(String token) {
    if (token == null) {
      String message = ServerErrors.withAdvice("TOKEN_MISSING", "The access token is missing");
      throw new UnauthenticatedException("TOKEN_MISSING", message, Details.NONE);
    }
    Claims claims = Tokens.readFake(token);
    boolean isMember = state.roleOf(claims.workspaceId(), claims.subject()) != null;
    if (isMember && !revoked.contains(token)) return claims;
    String message = ServerErrors.withAdvice("TOKEN_REVOKED", "The token was revoked");
    throw new UnauthenticatedException("TOKEN_REVOKED", message, Details.NONE);
  }

  Entry requireResource(Resource resource) {
    Arguments.requireResource(resource);
    requireOwnService();
    Entry found = state.find(resource);
    if (found == null) throw resourceNotFound();
    return found;
  }

  /** Finds a resource. With a token, its user must be allowed to manage the resource. */
  Entry requireManageable(Resource resource, Settings settings) {
    Arguments.requireResource(resource);
    requireOwnService();
    Claims claims = settings.token == null ? null : requireUser(settings.token);
    Entry found = requireResource(resource);
    if (claims == null) return found;
    if (!claims.workspaceId().equals(found.workspaceId)) throw resourceNotFound();
    Denial denial = findDenial(claims, "manage", found, settings);
    if (denial == null) return found;
    throw denial.orElse(
        "NOT_THE_OWNER",
        "Only the resource's owner, an owner or admin of its workspace, "
            + "or a user whose role includes manage may do this");
  }

  /**
   * Fails unless the user of a token owns the resource or is an owner or admin of its workspace; a role with manage
   * is not enough.
   */
  void requireOwnership(Entry resource, Settings settings) {
    if (settings.token == null) return;
    Claims claims = requireUser(settings.token);
    Denial denial = findDenial(claims, "manage", resource, settings);
    if (denial != null && denial.error() != null && !denial.isUncovered()) throw denial.error();
    FakeSubject subject = FakeSubject.ofUser(state, claims.subject(), null);
    if (!new FakeDecision(state, subject, "manage", resource, Map.of()).isOwner())
      throw DaikonException.of(Code.PERMISSION_DENIED, "NOT_THE_OWNER",
          "Only the resource's owner, or an owner or admin of its workspace, may do this");
    if (denial != null && denial.isUncovered()) throw denial.error();
  }

  /** Requires that the user of a token may edit the new parent of a resource. */
  void requireEditableParent(Entry parent, Settings settings) {
    if (settings.token == null) return;
    Denial denial = findDenial(requireUser(settings.token), "edit", parent, settings);
    if (denial != null) throw denial.orElse("PARENT_NOT_EDITABLE", "Requires permission to edit the parent");
  }

  /**
   * Why a user may not perform an action.
   *
   * @param error the error if only a requirement or the delegation denies it; otherwise null
   * @param isUncovered whether only the delegation denies it
   */
  private record Denial(DaikonException error, boolean isUncovered) {
    DaikonException orElse(String reason, String message) {
      return error == null ? DaikonException.of(Code.PERMISSION_DENIED, reason, message) : error;
    }
  }

  /** Returns why the user of a token may not perform an action; null if it is allowed. */
  private Denial findDenial(Claims claims, String action, Entry resource, Settings settings) {
    FakeSubject subject = FakeSubject.ofToken(state, claims);
    Map<String, Object> context = FakeState.copyOf("context", settings.context);
    Explanation explanation = new FakeDecision(state, subject, action, resource, context).decide();
    if (explanation.allowed()) return null;
    // The denials of the user come first.
    Reason reason = explanation.reasons().get(0);
    if (reason.rule().startsWith("delegation_")) {
      String message = "The delegation has ended or does not cover this";
      return new Denial(DaikonException.of(Code.PERMISSION_DENIED, "DELEGATION_DOES_NOT_COVER", message), true);
    }
    if (!reason.rule().equals("requirement_not_met")) return new Denial(null, false);
    String message = action + " requires the condition " + reason.condition() + ", which is not met";
    return new Denial(DaikonException.of(Code.PERMISSION_DENIED, "REQUIREMENT_NOT_MET", message), false);
  }

  private static DaikonException resourceNotFound() {
    return FakeState.notFound("RESOURCE_NOT_FOUND", "Resource not found");
  }
}
