package io.github.daikonauth.client;

import com.google.protobuf.Struct;
import io.github.daikonauth.client.Connection.Attempt;
import io.github.daikonauth.v1.CreateLinkRequest;
import io.github.daikonauth.v1.DeleteLinkRequest;
import io.github.daikonauth.v1.LinkCondition;
import io.github.daikonauth.v1.ListLinksRequest;
import io.github.daikonauth.v1.PermissionServiceGrpc;
import java.util.List;

/** The operations on links. */
abstract class LinkOperations extends TypeOperations {
  LinkOperations(String service) {
    super(service);
  }

  @Override
  public NewLink createLink(Resource resource, Grant grant, Options.ForLink... options) {
    Settings settings = Settings.read(options);
    CreateLinkRequest.Builder request = CreateLinkRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    if (grant instanceof ResourceRole role) request.setRole(role.name());
    else request.setPermission(requireGrant(grant).toString());
    if (settings.expiresAt != null) request.setExpiresAt(Arguments.readTime(settings.expiresAt));
    if (settings.condition != null)
      request.setCondition(LinkCondition.newBuilder()
          .setName(conditionName(settings.condition))
          .setParams(Json.toStruct("condition.params", settings.condition.params())));
    if (settings.name != null) request.setName(settings.name);
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    // A repeated call would create another link.
    Attempt attempt = new Attempt(deadline(settings), settings.token, false, null);
    return Records.readNewLink(send(PermissionServiceGrpc.getCreateLinkMethod(), request.build(), attempt));
  }

  @Override
  public List<Link> links(Resource resource, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    ListLinksRequest.Builder request = ListLinksRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type());
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    return send(PermissionServiceGrpc.getListLinksMethod(), request.build(), repeatable(settings))
        .getLinksList().stream()
        .map(Records::readLink)
        .toList();
  }

  @Override
  public void revokeLink(Resource resource, String linkId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    DeleteLinkRequest.Builder request = DeleteLinkRequest.newBuilder()
        .setResourceId(resourceId(resource))
        .setServiceName(service)
        .setResourceType(resource.type())
        .setLinkId(Arguments.require("linkId", linkId));
    Struct context = Arguments.readContext(settings.context);
    if (context != null) request.setContext(context);
    send(PermissionServiceGrpc.getDeleteLinkMethod(), request.build(), removing(settings, "LINK_NOT_FOUND"));
  }

  static Grant requireGrant(Grant grant) {
    if (grant != null) return grant;
    throw DaikonException.invalid(new Field("permission", "must be VIEW, EDIT or a ResourceRole"));
  }

  static String conditionName(Condition condition) {
    if (Arguments.isText(condition.name(), 200)) return condition.name();
    throw DaikonException.invalid(new Field("condition.name", "must be a non-empty string"));
  }
}
