package io.github.daikonauth.client;

import java.util.Map;

/**
 * A resource to register: {@code Registration.of("document", "roadmap").workspaceId(w).ownerId(u)}. The owner is a
 * member of the workspace.
 */
public final class Registration {
  private final Resource resource;
  private String workspaceId;
  private String ownerId;
  private String ownerEmail;
  private String ownerExternalId;
  private Visibility visibility;
  private Resource parent;
  private Map<String, ?> attributes;
  private String displayName;

  private Registration(Resource resource) {
    this.resource = resource;
  }

  /** Begins the registration of a resource. */
  public static Registration of(String type, String id) {
    return new Registration(new Resource(type, id));
  }

  /** Sets the ID of the workspace. Required. */
  public Registration workspaceId(String workspaceId) {
    this.workspaceId = workspaceId;
    return this;
  }

  /** Sets the owner by ID. One of the owners is required. */
  public Registration ownerId(String ownerId) {
    this.ownerId = ownerId;
    return this;
  }

  /** Sets the owner by e-mail address. */
  public Registration ownerEmail(String ownerEmail) {
    this.ownerEmail = ownerEmail;
    return this;
  }

  /** Sets the owner by {@code external_id}. */
  public Registration ownerExternalId(String ownerExternalId) {
    this.ownerExternalId = ownerExternalId;
    return this;
  }

  /** Sets the visibility, which is {@link Visibility#PRIVATE} by default. */
  public Registration visibility(Visibility visibility) {
    this.visibility = visibility;
    return this;
  }

  /** Sets the resource in the same workspace whose grants this one inherits. */
  public Registration parent(Resource parent) {
    this.parent = parent;
    return this;
  }

  /** Sets what conditions read as {@code resource.attributes}: JSON values by name, at most 4 KiB. */
  public Registration attributes(Map<String, ?> attributes) {
    this.attributes = attributes;
    return this;
  }

  /** Sets the name for people, at most 255 characters. */
  public Registration displayName(String displayName) {
    this.displayName = displayName;
    return this;
  }

  public Resource resource() {
    return resource;
  }

  public String workspaceId() {
    return workspaceId;
  }

  public String ownerId() {
    return ownerId;
  }

  public String ownerEmail() {
    return ownerEmail;
  }

  public String ownerExternalId() {
    return ownerExternalId;
  }

  public Visibility visibility() {
    return visibility;
  }

  public Resource parent() {
    return parent;
  }

  public Map<String, ?> attributes() {
    return attributes;
  }

  public String displayName() {
    return displayName;
  }
}
