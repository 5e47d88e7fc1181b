package io.github.daikonauth.client;

import com.google.protobuf.Struct;
import io.github.daikonauth.client.Connection.Attempt;
import io.github.daikonauth.v1.GetResourceRequest;
import io.github.daikonauth.v1.ParentReference;
import io.github.daikonauth.v1.PermissionServiceGrpc;
import io.github.daikonauth.v1.RegisterBatchRequest;
import io.github.daikonauth.v1.RegisterResourceRequest;
import io.github.daikonauth.v1.ShareBatchRequest;
import io.github.daikonauth.v1.ShareCondition;
import io.github.daikonauth.v1.ShareItem;
import io.github.daikonauth.v1.ShareRequest;
import io.github.daikonauth.v1.TransferOwnershipRequest;
import io.github.daikonauth.v1.UnregisterRequest;
import io.github.daikonauth.v1.UpdateAttributesRequest;
import io.github.daikonauth.v1.UpdateParentRequest;
import io.github.daikonauth.v1.UpdateResourceRequest;
import io.github.daikonauth.v1.UpdateVisibilityRequest;
import java.util.List;
import java.util.Map;

/** The operations on resources and their shares. */
abstract class ResourceOperations extends LinkOperations {
  ResourceOperations(String service) {
    super(service);
  }

  private ParentReference parentOf(Resource parent) {
    return ParentReference.newBuilder().setResourceType(parent.type()).setResourceId(resourceId(parent)).build();
  }

  private RegisterResourceRequest registerRequest(Registration registration) {
    Resource resource = registration.resource();
    RegisterResourceRequest.Builder request = RegisterResourceRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setWorkspaceId(Arguments.require("workspaceId", registration.workspaceId()));
    if (!ResourceIds.isUuid(resource.id())) request.setExternalId(resource.id());
    if (registration.ownerId() != null) request.setOwnerId(registration.ownerId());
    else if (registration.ownerEmail() != null) request.setOwnerEmail(registration.ownerEmail());
    else if (registration.ownerExternalId() != null) request.setOwnerExternalId(registration.ownerExternalId());
    else throw DaikonException.invalid(new Field("ownerId", "is required, or ownerEmail or ownerExternalId"));
    if (registration.visibility() != null) request.setVisibility(registration.visibility().toString());
    if (registration.parent() != null) request.setParent(parentOf(registration.parent()));
    if (registration.attributes() != null)
      request.setAttributes(Json.toStruct("attributes", registration.attributes()));
    if (registration.displayName() != null) request.setDisplayName(registration.displayName());
    return request.build();
  }

  @Override
  public RegisteredResource register(Registration registration, Options.ForAny... options) {
    Attempt attempt = repeatable(Settings.read(options));
    return Records.readResource(
        send(PermissionServiceGrpc.getRegisterMethod(), registerRequest(registration), attempt));
  }

  @Override
  public List<RegisteredResource> registerMany(List<Registration> registrations, Options.ForAny... options) {
    if (registrations.isEmpty()) return List.of();
    RegisterBatchRequest request = RegisterBatchRequest.newBuilder()
        .addAllResources(registrations.stream().map(this::registerRequest).toList())
        .build();
    return send(PermissionServiceGrpc.getRegisterBatchMethod(), request, repeatable(Settings.read(options)))
        .getResourcesList().stream()
        .map(Records::readResource)
        .toList();
  }

  @Override
  public RegisteredResource get(Resource resource, Options.ForAny... options) {
    GetResourceRequest request = GetResourceRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setWithNames(true)
        .setWithAncestors(true)
        .build();
    Attempt attempt = repeatable(Settings.read(options));
    return Records.readResource(send(PermissionServiceGrpc.getGetResourceMethod(), request, attempt));
  }

  @Override
  public List<Share> shares(Resource resource, Options.ForAny... options) {
    return get(resource, options).shares();
  }

  @Override
  public void unregister(Resource resource, Options.ForUnregister... options) {
    Settings settings = Settings.read(options);
    UnregisterRequest.Builder request = UnregisterRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (settings.cascade) request.setCascade(true);
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    Attempt attempt = removing(settings, "RESOURCE_NOT_FOUND");
    send(PermissionServiceGrpc.getUnregisterMethod(), request.build(), attempt);
  }

  /** Begins a request about the share of a grantee. */
  private ShareRequest.Builder shareRequest(Resource resource, Grantee grantee) {
    ShareRequest.Builder request = ShareRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (grantee instanceof Grantee.UserId user) request.setGranteeType("user").setGranteeId(user.userId());
    else if (grantee instanceof Grantee.GroupId group) request.setGranteeType("group").setGranteeId(group.groupId());
    else if (grantee instanceof Grantee.Email email) request.setGranteeEmail(email.email());
    else if (grantee instanceof Grantee.ExternalId external) request.setGranteeExternalId(external.externalId());
    else if (grantee instanceof Grantee.Group group) request.setGroupName(group.group());
    else throw noGrantee();
    return request;
  }

  @Override
  public Share share(Resource resource, Grantee grantee, Grant grant, Options.ForShare... options) {
    Settings settings = Settings.read(options);
    ShareRequest.Builder request = shareRequest(resource, grantee);
    if (grant instanceof ResourceRole role) request.setRole(role.name());
    else request.setPermission(requireGrant(grant).toString());
    if (settings.expiresAt != null) request.setExpiresAt(Arguments.readTime(settings.expiresAt));
    if (settings.condition != null) request.setCondition(readCondition(settings.condition));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readShare(
        send(PermissionServiceGrpc.getShareMethod(), request.build(), repeatable(settings)));
  }

  @Override
  public List<Share> shareMany(List<NewShare> shares, Options.ForChange... options) {
    if (shares.isEmpty()) return List.of();
    Settings settings = Settings.read(options);
    ShareBatchRequest.Builder request = ShareBatchRequest.newBuilder();
    for (NewShare share : shares) request.addShares(shareItem(share));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return send(PermissionServiceGrpc.getShareBatchMethod(), request.build(), repeatable(settings))
        .getSharesList().stream()
        .map(Records::readShare)
        .toList();
  }

  private ShareItem shareItem(NewShare share) {
    Resource resource = share.resource();
    Grantee grantee = share.grantee();
    ShareItem.Builder item = ShareItem.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (grantee instanceof Grantee.UserId user) item.setGranteeType("user").setGranteeId(user.userId());
    else if (grantee instanceof Grantee.GroupId group) item.setGranteeType("group").setGranteeId(group.groupId());
    else if (grantee instanceof Grantee.Email email) item.setGranteeEmail(email.email());
    else if (grantee instanceof Grantee.ExternalId external) item.setGranteeExternalId(external.externalId());
    else if (grantee instanceof Grantee.Group group) item.setGroupName(group.group());
    else throw noGrantee();
    if (share.grant() instanceof ResourceRole role) item.setRole(role.name());
    else item.setPermission(requireGrant(share.grant()).toString());
    if (share.expiresAt() != null) item.setExpiresAt(Arguments.readTime(share.expiresAt()));
    if (share.condition() != null) item.setCondition(readCondition(share.condition()));
    return item.build();
  }

  private static DaikonException noGrantee() {
    return DaikonException.invalid(new Field("grantee", "is required"));
  }

  private static ShareCondition readCondition(Condition condition) {
    return ShareCondition.newBuilder()
        .setName(conditionName(condition))
        .setParams(Json.toStruct("condition.params", condition.params()))
        .build();
  }

  @Override
  public void revoke(Resource resource, Grantee grantee, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    // Older servers require a permission; none compares it with the share.
    ShareRequest.Builder request = shareRequest(resource, grantee).setPermission("view");
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    Attempt attempt = removing(settings, "SHARE_NOT_FOUND");
    send(PermissionServiceGrpc.getRevokeShareMethod(), request.build(), attempt);
  }

  @Override
  public RegisteredResource setVisibility(
      Resource resource, Visibility visibility, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    UpdateVisibilityRequest.Builder request = UpdateVisibilityRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setVisibility(Arguments.require("visibility", visibility).toString());
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readResource(
        send(PermissionServiceGrpc.getUpdateVisibilityMethod(), request.build(), repeatable(settings)));
  }

  @Override
  public RegisteredResource setAttributes(
      Resource resource, Map<String, ?> attributes, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    UpdateAttributesRequest.Builder request = UpdateAttributesRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setAttributes(Json.toStruct("attributes", attributes));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readResource(
        send(PermissionServiceGrpc.getUpdateAttributesMethod(), request.build(), repeatable(settings)));
  }

  @Override
  public RegisteredResource setDisplayName(
      Resource resource, String displayName, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    UpdateResourceRequest.Builder request = UpdateResourceRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (displayName == null) request.setRemoveDisplayName(true);
    else request.setDisplayName(displayName);
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readResource(
        send(PermissionServiceGrpc.getUpdateResourceMethod(), request.build(), repeatable(settings)));
  }

  @Override
  public RegisteredResource setParent(Resource resource, Resource parent, Options.ForParent... options) {
    Settings settings = Settings.read(options);
    UpdateParentRequest.Builder request = UpdateParentRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (parent == null) request.setDetach(true);
    else request.setParent(parentOf(parent));
    if (settings.inherits != null) request.setInherits(settings.inherits);
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readResource(
        send(PermissionServiceGrpc.getUpdateParentMethod(), request.build(), yielding(settings)));
  }

  @Override
  public RegisteredResource transfer(Resource resource, String userId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    TransferOwnershipRequest.Builder request = TransferOwnershipRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setOwnerId(Arguments.require("userId", userId));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return Records.readResource(
        send(PermissionServiceGrpc.getTransferOwnershipMethod(), request.build(), yielding(settings)));
  }
}
