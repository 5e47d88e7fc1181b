package io.github.daikonauth.client;

/**
 * What {@link DaikonClient#exchange} exchanges: an access token of the user, or only the ID of the user's delegation.
 *
 * @param subjectToken an access token of the user; null without one
 * @param delegationId the delegation; null if it is the only one that fits the token
 * @param resource the URI of the API that the new token is for; null if it is for daikon
 * @param scope the scopes of the API, separated by spaces; null for all that the client app has
 */
public record ExchangeRequest(String subjectToken, String delegationId, String resource, String scope) {
  /** Exchanges the ID of a delegation, while its user is away. */
  public static ExchangeRequest ofDelegation(String delegationId) {
    return new ExchangeRequest(null, delegationId, null, null);
  }

  /** Exchanges an access token of the user. The new token ends with it. */
  public static ExchangeRequest ofToken(String subjectToken) {
    return new ExchangeRequest(subjectToken, null, null, null);
  }

  /** Names the delegation, which is needed if several fit the access token. */
  public ExchangeRequest delegationId(String delegationId) {
    return new ExchangeRequest(subjectToken, delegationId, resource, scope);
  }

  /** Limits the new token to the API with this URI. */
  public ExchangeRequest resource(String resource) {
    return new ExchangeRequest(subjectToken, delegationId, resource, scope);
  }

  /** Limits the new token to scopes of the API, separated by spaces. */
  public ExchangeRequest scope(String scope) {
    return new ExchangeRequest(subjectToken, delegationId, resource, scope);
  }

  @Override
  public String toString() {
    return "ExchangeRequest[delegationId=" + delegationId + ", resource=" + resource + ", scope=" + scope + "]";
  }
}
