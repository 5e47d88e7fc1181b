package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.FakeState.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operations of a fake on resources. */
abstract class FakeResources extends FakeShares {
  private static final int MAX_CHAIN_LENGTH = 32;

  FakeResources(FakeState state) {
    super(state);
  }

  @Override
  public RegisteredResource register(Registration registration, Options.ForAny... options) {
    return run(() -> register(registration).view());
  }

  private Entry register(Registration registration) {
    Resource resource = Arguments.requireResource(registration.resource());
    rights.requireOwnService();
    FakeTypes.requireFree(resource.type());
    String workspaceId = Arguments.require("workspaceId", registration.workspaceId());
    requireId("workspace_id", workspaceId);
    String field = "owner_id";
    String ownerId = registration.ownerId();
    if (ownerId != null) {
      requireId(field, ownerId);
    } else if (registration.ownerEmail() != null) {
      field = "owner_email";
      ownerId = state.findByEmail(registration.ownerEmail());
    } else if (registration.ownerExternalId() != null) {
      field = "owner_external_id";
      ownerId = state.findByExternalId(registration.ownerExternalId());
    } else {
      throw DaikonException.invalid(new Field("ownerId", "is required, or ownerEmail or ownerExternalId"));
    }
    Entry known = state.find(resource);
    if (known != null) {
      if (known.workspaceId.equals(workspaceId) && known.ownerId.equals(ownerId)) return known;
      String message = "The resource is registered with another workspace or owner";
      throw DaikonException.of(Code.ALREADY_EXISTS, "RESOURCE_REGISTERED", message);
    }
    if (!state.world.workspaces.containsKey(workspaceId))
      throw FakeState.notFound("WORKSPACE_NOT_FOUND", "Workspace not found");
    requireMember(field, workspaceId, ownerId);
    Entry entry = new Entry(resource, state.idOf(resource), workspaceId);
    entry.ownerId = ownerId;
    entry.visibility = registration.visibility() == null ? Visibility.PRIVATE : registration.visibility();
    types.requireVisibility(resource.type(), entry.visibility);
    if (registration.parent() != null) entry.parent = requireParent(workspaceId, registration.parent());
    entry.attributes = FakeState.copyOf("attributes", registration.attributes());
    entry.displayName = registration.displayName();
    state.resources.put(state.keyOf(resource), entry);
    return entry;
  }

  private void requireMember(String field, String workspaceId, String userId) {
    if (state.roleOf(workspaceId, userId) == null)
      throw DaikonException.invalid(new Field(field, "must be a member of the workspace"));
  }

  private Entry requireParent(String workspaceId, Resource parent) {
    Entry found = state.find(parent);
    if (found != null && found.workspaceId.equals(workspaceId)) return found;
    String message = "must be a resource of the same service and workspace";
    throw DaikonException.invalid(new Field("parent", message));
  }

  @Override
  public List<RegisteredResource> registerMany(List<Registration> registrations, Options.ForAny... options) {
    return run(() -> {
      Map<String, Entry> before = new LinkedHashMap<>(state.resources);
      Runnable undo = () -> state.resources = before;
      return readAll("resources", registrations, this::register, undo).stream().map(Entry::view).toList();
    });
  }

  @Override
  public RegisteredResource get(Resource resource, Options.ForAny... options) {
    return run(() -> state.viewComplete(rights.requireResource(resource)));
  }

  @Override
  public void unregister(Resource resource, Options.ForUnregister... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      state.resources.values().removeIf(
          other -> other == found || settings.cascade && other.depthBelow(found) > 0);
      for (Entry child : state.resources.values()) if (child.parent == found) child.parent = null;
      return null;
    });
  }

  @Override
  public RegisteredResource setVisibility(
      Resource resource, Visibility visibility, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      types.requireVisibility(resource.type(), visibility);
      found.visibility = visibility;
      return found.view();
    });
  }

  @Override
  public RegisteredResource setAttributes(
      Resource resource, Map<String, ?> attributes, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      found.attributes = merge(found.attributes, FakeState.copyOf("attributes", attributes));
      return found.view();
    });
  }

  /** Applies a merge patch (RFC 7396). */
  private static Map<String, Object> merge(Map<?, ?> object, Map<?, ?> patch) {
    Map<String, Object> merged = new LinkedHashMap<>();
    object.forEach((name, value) -> merged.put((String) name, value));
    patch.forEach((name, value) -> {
      if (value == null) merged.remove(name);
      else if (value instanceof Map<?, ?> nested)
        merged.put((String) name, merge(merged.get(name) instanceof Map<?, ?> known ? known : Map.of(), nested));
      else merged.put((String) name, value);
    });
    return merged;
  }

  @Override
  public RegisteredResource setDisplayName(
      Resource resource, String displayName, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      found.displayName = displayName;
      return found.view();
    });
  }

  @Override
  public RegisteredResource setParent(Resource resource, Resource parent, Options.ForParent... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      Entry above = parent == null ? null : requireParent(found.workspaceId, parent);
      if (above != null && above != found.parent) {
        rights.requireEditableParent(above, settings);
        requireNoCycle(found, above);
      }
      found.parent = above;
      if (settings.inherits != null) found.inherits = settings.inherits;
      return found.view();
    });
  }

  private void requireNoCycle(Entry entry, Entry parent) {
    int length = 1;
    for (Entry above = parent; above != null; above = above.parent) {
      length += 1;
      if (above == entry) {
        String message = "A resource cannot be its own ancestor";
        throw DaikonException.of(Code.ALREADY_EXISTS, "PARENT_CYCLE", message);
      }
    }
    int below = state.resources.values().stream().mapToInt(other -> other.depthBelow(entry)).max().orElse(0);
    if (length + below <= MAX_CHAIN_LENGTH) return;
    String message = "must not be nested more than " + MAX_CHAIN_LENGTH + " levels deep";
    throw DaikonException.invalid(new Field("parent", message));
  }

  @Override
  public RegisteredResource transfer(Resource resource, String userId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      requireId("owner_id", userId);
      Entry found = rights.requireManageable(resource, settings);
      rights.requireOwnership(found, settings);
      requireMember("owner_id", found.workspaceId, userId);
      found.ownerId = userId;
      return found.view();
    });
  }
}
