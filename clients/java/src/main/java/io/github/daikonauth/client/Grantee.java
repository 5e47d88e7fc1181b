package io.github.daikonauth.client;

/** The user or group that a resource is shared with. It must belong to the workspace of the resource. */
public sealed interface Grantee {
  /** A user by ID. */
  record UserId(String userId) implements Grantee {}

  /** A user by e-mail address. */
  record Email(String email) implements Grantee {}

  /** A user by {@code external_id}. */
  record ExternalId(String externalId) implements Grantee {}

  /** A group by ID. */
  record GroupId(String groupId) implements Grantee {}

  /** A group by name. */
  record Group(String group) implements Grantee {}

  /** Returns a user by ID. */
  static Grantee userId(String userId) {
    return new UserId(userId);
  }

  /** Returns a user by e-mail address. */
  static Grantee email(String email) {
    return new Email(email);
  }

  /** Returns a user by {@code external_id}. */
  static Grantee externalId(String externalId) {
    return new ExternalId(externalId);
  }

  /** Returns a group by ID. */
  static Grantee groupId(String groupId) {
    return new GroupId(groupId);
  }

  /** Returns a group by name. */
  static Grantee group(String group) {
    return new Group(group);
  }
}
