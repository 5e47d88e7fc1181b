package io.github.daikonauth.client;

/**
 * Whom to check. Prefer the access token of the request: daikon verifies it with every check, so a sign-out or the
 * removal of a member takes effect immediately.
 */
public sealed interface Subject {
  /** The user of an access token, or the service account of an API key. */
  record Token(String token) implements Subject {
    @Override
    public String toString() {
      return "Token[…]";
    }
  }

  /** The service account of an API key ({@code da_…}). */
  record ApiKey(String apiKey) implements Subject {
    @Override
    public String toString() {
      return "ApiKey[…]";
    }
  }

  /** A user by ID. */
  record UserId(String userId) implements Subject {}

  /** A user by e-mail address. */
  record Email(String email) implements Subject {}

  /** A user by {@code external_id}. */
  record ExternalId(String externalId) implements Subject {}

  /** A group, which may do what every one of its members may do. */
  record GroupId(String groupId) implements Subject {}

  /** The holder of the token ({@code dl_…}) of a link. */
  record Link(String link) implements Subject {
    @Override
    public String toString() {
      return "Link[…]";
    }
  }

  /** A delegation by ID, by which an agent acts for a user. */
  record Delegation(String delegation) implements Subject {}

  /** Anyone at all. */
  record Anonymous() implements Subject {}

  /** Returns the user of an access token, or the service account of an API key. */
  static Subject token(String token) {
    return new Token(token);
  }

  /** Returns the service account of an API key. */
  static Subject apiKey(String apiKey) {
    return new ApiKey(apiKey);
  }

  /** Returns a user by ID. */
  static Subject userId(String userId) {
    return new UserId(userId);
  }

  /** Returns a user by e-mail address. */
  static Subject email(String email) {
    return new Email(email);
  }

  /** Returns a user by {@code external_id}. */
  static Subject externalId(String externalId) {
    return new ExternalId(externalId);
  }

  /** Returns a group by ID. */
  static Subject groupId(String groupId) {
    return new GroupId(groupId);
  }

  /** Returns a delegation by ID. */
  static Subject delegation(String delegation) {
    return new Delegation(delegation);
  }

  /** Returns the holder of a link. */
  static Subject link(String link) {
    return new Link(link);
  }

  /** Returns the subject that may view what is public. */
  static Subject anonymous() {
    return new Anonymous();
  }
}
