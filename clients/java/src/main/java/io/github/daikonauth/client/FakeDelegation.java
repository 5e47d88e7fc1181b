package io.github.daikonauth.client;

import java.time.Instant;
import java.util.List;

/**
 * A delegation of a {@link FakeWorld}: {@code FakeDelegation.of("d1", "alice", "acme").actions("view")}. At least one
 * of actions, resource types and resources is required; each stands for all without it.
 */
public final class FakeDelegation {
  final String id;
  final String userId;
  final String workspaceId;
  Agent agent = new Agent("service_account", "agent", "agent");
  String service;
  List<String> actions;
  List<String> resourceTypes;
  List<Resource> resources;
  Instant expiresAt;
  boolean isEnded;

  private FakeDelegation(String id, String userId, String workspaceId) {
    this.id = id;
    this.userId = userId;
    this.workspaceId = workspaceId;
  }

  /** Begins the delegation of a member of a workspace. */
  public static FakeDelegation of(String id, String userId, String workspaceId) {
    return new FakeDelegation(id, userId, workspaceId);
  }

  /** Sets the agent. By default, it is a service account with the ID {@code agent}. */
  public FakeDelegation agent(Agent agent) {
    this.agent = agent;
    return this;
  }

  /** Sets the service that it is for. The default is the service of the world. */
  public FakeDelegation service(String service) {
    this.service = service;
    return this;
  }

  /** Sets the actions that it covers, by name. Without them, it covers all but manage. */
  public FakeDelegation actions(String... actions) {
    this.actions = List.of(actions);
    return this;
  }

  /** Sets the resource types that it covers. Without them, it covers all but workspace. */
  public FakeDelegation resourceTypes(String... resourceTypes) {
    this.resourceTypes = List.of(resourceTypes);
    return this;
  }

  /** Sets the resources that it covers, with what inherits from them. They must be resources of the world. */
  public FakeDelegation resources(Resource... resources) {
    this.resources = List.of(resources);
    return this;
  }

  /** Sets when it expires. By default, it does not. */
  public FakeDelegation expiresAt(Instant expiresAt) {
    this.expiresAt = expiresAt;
    return this;
  }

  /** Ends it before it expires. It also ends with the membership of its user. */
  public FakeDelegation ended() {
    isEnded = true;
    return this;
  }
}
