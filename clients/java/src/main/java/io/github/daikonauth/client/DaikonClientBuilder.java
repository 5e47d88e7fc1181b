package io.github.daikonauth.client;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import java.time.Duration;

/** The configuration of a client. */
public final class DaikonClientBuilder {
  String address;
  String service;
  String serviceKey;
  boolean isDevelopment;
  ChannelCredentials credentials;
  String serverName;
  Duration timeout = Duration.ofSeconds(2);
  int maxInFlight = 16;
  String issuer;
  AgentCredentials agent;

  DaikonClientBuilder() {}

  /** Sets the host and port of the gRPC server, such as {@code localhost:50051}. Required. */
  public DaikonClientBuilder address(String address) {
    this.address = address;
    return this;
  }

  /** Sets the service that your resources belong to: the {@code service_name} of the service key. Required. */
  public DaikonClientBuilder service(String service) {
    this.service = service;
    return this;
  }

  /** Sets the key of the service. Required without {@link #developmentMode()} and {@link #agent}. */
  public DaikonClientBuilder serviceKey(String serviceKey) {
    this.serviceKey = serviceKey;
    return this;
  }

  /** Allows a client without a service key, for a server in development mode, which accepts calls without a key. */
  public DaikonClientBuilder developmentMode() {
    isDevelopment = true;
    return this;
  }

  /**
   * Sets certificates: those of {@link io.grpc.TlsChannelCredentials}. By default, the client uses plaintext for
   * loopback addresses, and TLS with the authorities that Java trusts for all others.
   */
  public DaikonClientBuilder credentials(ChannelCredentials credentials) {
    this.credentials = credentials;
    return this;
  }

  /** Turns TLS off for an address that is not a loopback address. */
  public DaikonClientBuilder plaintext() {
    return credentials(InsecureChannelCredentials.create());
  }

  /** Sets the name in the server's certificate, if it differs from the host in the address. */
  public DaikonClientBuilder serverName(String serverName) {
    this.serverName = serverName;
    return this;
  }

  /** Sets the time limit of an operation, including waiting and retries. The default is 2 seconds. */
  public DaikonClientBuilder timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** Sets how many calls may run concurrently; further calls wait. The default is 16. */
  public DaikonClientBuilder maxInFlight(int maxInFlight) {
    this.maxInFlight = maxInFlight;
    return this;
  }

  /** Sets the only issuer that verifyAccessToken accepts. The default is the one that the server publishes. */
  public DaikonClientBuilder issuer(String issuer) {
    this.issuer = issuer;
    return this;
  }

  /**
   * Sets who {@link DaikonClient#exchange} obtains tokens for. A client that only exchanges tokens needs no service
   * key.
   */
  public DaikonClientBuilder agent(AgentCredentials agent) {
    this.agent = agent;
    return this;
  }

  /**
   * Creates the client.
   *
   * @throws InvalidArgumentException if a setting is missing or malformed
   */
  public DaikonClient build() {
    require(address != null && !address.isEmpty(), "address", "must be host:port");
    require(!address.matches("https?://.*"), "address", "must be host:port of the gRPC server, not a URL");
    require(address.matches(".*:\\d+|unix:.*"), "address", "must have a port, such as localhost:50051");
    require(Arguments.isText(service, 200), "service", "is required: the service_name of your service key");
    require(
        serviceKey != null || agent != null || isDevelopment,
        "serviceKey",
        "is required. " + ServerErrors.ADVICE.get("SERVICE_KEY_MISSING")
            + " A server in development mode needs none: call developmentMode()");
    require(
        serviceKey == null || Arguments.isPrintable(serviceKey),
        "serviceKey",
        "must be a key of daikon (dk_…), without spaces or line breaks");
    require(
        agent == null || isComplete(agent), "agent", "must have an API key, or the ID and secret of a client app");
    require(timeout != null && !timeout.isNegative() && !timeout.isZero(), "timeout", "must be positive");
    require(maxInFlight > 0, "maxInFlight", "must be positive");
    return new DaikonClient(this);
  }

  private static boolean isComplete(AgentCredentials agent) {
    return agent instanceof AgentCredentials.Client client
        ? Arguments.isToken(client.clientId()) && Arguments.isToken(client.clientSecret())
        : Arguments.isToken(((AgentCredentials.ApiKey) agent).apiKey());
  }

  private static void require(boolean isValid, String field, String message) {
    if (!isValid) throw DaikonException.invalid(new Field(field, message));
  }
}
