package io.github.daikonauth.client;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The operations of daikon, safe for concurrent use. An operation that fails throws a {@link DaikonException}; a denied
 * check is not a failure.
 */
public interface Daikon extends AutoCloseable {
  /**
   * Whether the subject may perform the action on the resource. Unknown users, resources and actions are denied. Checks
   * that threads make at the same moment share one call.
   */
  boolean check(Subject subject, String action, Resource resource, Options.ForCheck... options);

  /** Like {@link #check}, without waiting. The future fails with a {@link DaikonException}. */
  CompletableFuture<Boolean> checkAsync(
      Subject subject, String action, Resource resource, Options.ForCheck... options);

  /** Returns the results of several checks, in order. */
  List<Boolean> checkMany(List<Check> checks, Options.ForCheck... options);

  /**
   * Returns the IDs of all resources of a type on which the subject may perform the action. Reads pages of 1,000 as the
   * stream is consumed; the time limit applies to each page.
   */
  Stream<String> accessible(Subject subject, String action, String type, Options.ForAccessible... options);

  /**
   * Returns who may perform an action on a resource now: for each user or group, the {@code external_id} if there is
   * one, otherwise the ID. Lists members of the workspace only, also of a public resource. Reads pages like
   * {@link #accessible}.
   */
  Stream<String> subjects(String action, Resource resource, Options.ForSubjects... options);

  /** Returns whether an action is allowed, with every grant that allows it, or why it is denied. */
  Explanation explain(Subject subject, String action, Resource resource, Options.ForCheck... options);

  /**
   * Registers a resource. Call it when the resource is created. Repeating the call with the same workspace and owner
   * returns the registered resource.
   */
  RegisteredResource register(Registration registration, Options.ForAny... options);

  /** Registers up to 1,000 resources, all or none. Items may name each other as parents. */
  List<RegisteredResource> registerMany(List<Registration> registrations, Options.ForAny... options);

  /** Returns a registered resource. */
  RegisteredResource get(Resource resource, Options.ForAny... options);

  /** Removes a resource and its shares. Call it when the resource is deleted. */
  void unregister(Resource resource, Options.ForUnregister... options);

  /**
   * Shares a resource, or replaces the permission or role of an existing share. {@link Options#as} is required. To grant
   * a role that contains manage, its user must own the resource or an ancestor that it inherits from, or be an owner or
   * admin of the workspace.
   */
  Share share(Resource resource, Grantee grantee, Grant grant, Options.ForShare... options);

  /**
   * Grants up to 1,000 shares, all or none. With {@link Options#as}, its user must be allowed to manage every resource;
   * without it, your service decides.
   */
  List<Share> shareMany(List<NewShare> shares, Options.ForChange... options);

  /** Returns the shares of a resource, without expired ones. */
  List<Share> shares(Resource resource, Options.ForAny... options);

  /** Removes the share of a user or group. */
  void revoke(Resource resource, Grantee grantee, Options.ForChange... options);

  /**
   * Creates a link, whose token is returned only here. {@link Options#as} is required. The role of a link must not
   * contain manage.
   */
  NewLink createLink(Resource resource, Grant grant, Options.ForLink... options);

  /** Returns the links to a resource, oldest first, without their tokens. {@link Options#as} is required. */
  List<Link> links(Resource resource, Options.ForChange... options);

  /** Revokes a link by its ID. {@link Options#as} is required. */
  void revokeLink(Resource resource, String linkId, Options.ForChange... options);

  /** Makes a resource visible to its whole workspace or to everybody, or private again. */
  RegisteredResource setVisibility(Resource resource, Visibility visibility, Options.ForChange... options);

  /**
   * Changes attributes, which conditions read, by a merge patch (RFC 7396): members of {@code attributes} are merged,
   * and null removes a member.
   */
  RegisteredResource setAttributes(Resource resource, Map<String, ?> attributes, Options.ForChange... options);

  /** Sets the name of a resource for people; null removes it. */
  RegisteredResource setDisplayName(Resource resource, String displayName, Options.ForChange... options);

  /**
   * Moves a resource, with everything below it, to another parent of the same workspace; null removes the parent. The
   * user of {@link Options#as} must also be allowed to edit the new parent.
   */
  RegisteredResource setParent(Resource resource, Resource parent, Options.ForParent... options);

  /**
   * Makes another member of the workspace the owner of a resource. The user of {@link Options#as} must own the resource
   * or an ancestor that it inherits from, or be an owner or admin of the workspace.
   */
  RegisteredResource transfer(Resource resource, String userId, Options.ForChange... options);

  /** Registers actions in addition to view, edit and manage. Existing ones are kept. */
  void registerActions(List<Action> actions, Options.ForAny... options);

  /**
   * Replaces the declaration of a resource type as a whole. Fails with {@code already_exists} if shares or links use
   * what it would remove.
   */
  DeclaredType declareType(String type, TypeDeclaration declaration, Options.ForDeclare... options);

  /** Returns the declared resource types of the service. */
  List<DeclaredType> resourceTypes(Options.ForAny... options);

  /** Removes the declaration of a resource type, which nothing may use. */
  void deleteType(String type, Options.ForAny... options);

  /**
   * Verifies an access token with daikon's public keys and returns its claims. The keys are cached, so most calls make
   * no request. A revoked token is therefore accepted until it expires; {@link #check} takes revocations into account.
   * An API key is verified by the server.
   *
   * @throws InvalidTokenException if the token is not valid
   */
  Claims verifyAccessToken(String token, Options.ForToken... options);

  /** Returns the UUID that identifies a resource in daikon ({@code resource_id} in the API). */
  String resourceId(Resource resource);

  /** Closes the connection. Pending operations fail with a {@link CancelledException}. */
  @Override
  void close();
}
