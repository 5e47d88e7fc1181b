package io.github.daikonauth.client;

/** Who acts for users, for {@link DaikonClientBuilder#agent}: a service account, or a confidential client app. */
public sealed interface AgentCredentials {
  /** A service account, by its API key ({@code da_…}). */
  record ApiKey(String apiKey) implements AgentCredentials {
    @Override
    public String toString() {
      return "ApiKey[…]";
    }
  }

  /** A confidential client app. */
  record Client(String clientId, String clientSecret) implements AgentCredentials {
    @Override
    public String toString() {
      return "Client[clientId=" + clientId + "]";
    }
  }

  /** Returns the credentials of a service account. */
  static AgentCredentials apiKey(String apiKey) {
    return new ApiKey(apiKey);
  }

  /** Returns the credentials of a confidential client app. */
  static AgentCredentials client(String clientId, String clientSecret) {
    return new Client(clientId, clientSecret);
  }
}
