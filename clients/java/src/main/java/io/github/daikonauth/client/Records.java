package io.github.daikonauth.client;

import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.v1.ActivityEntry;
import io.github.daikonauth.v1.CreatedLink;
import io.github.daikonauth.v1.InheritedGrants;
import io.github.daikonauth.v1.LinkCondition;
import io.github.daikonauth.v1.ResourceLink;
import io.github.daikonauth.v1.ResourcePermissionResponse;
import io.github.daikonauth.v1.ResourceType;
import io.github.daikonauth.v1.ShareCondition;
import io.github.daikonauth.v1.ShareResponse;
import io.github.daikonauth.v1.WatchActivityResponse;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Converts messages of the API. */
final class Records {
  private Records() {}

  static RegisteredResource readResource(ResourcePermissionResponse record) {
    return new RegisteredResource(
        record.getResourceType(),
        record.hasExternalId() ? record.getExternalId() : record.getResourceId(),
        record.getResourceId(),
        record.getWorkspaceId(),
        record.getOwnerId(),
        Visibility.valueOf(record.getVisibility().toUpperCase(Locale.ROOT)),
        record.hasParent()
            ? new ResourceReference(record.getParent().getResourceType(), record.getParent().getResourceId())
            : null,
        record.getInherits(),
        Json.toMap(record.getAttributes()),
        record.hasDisplayName() ? record.getDisplayName() : null,
        readTime(record.getCreatedAt()),
        record.getSharesList().stream().map(Records::readShare).toList(),
        record.hasOwnerName() ? record.getOwnerName() : null,
        record.hasOwnerEmail() ? record.getOwnerEmail() : null,
        record.getAncestorsList().stream().map(Records::readAncestor).toList());
  }

  private static Ancestor readAncestor(InheritedGrants record) {
    return new Ancestor(
        record.getResourceType(),
        record.hasExternalId() ? record.getExternalId() : record.getResourceId(),
        record.getResourceId(),
        record.hasDisplayName() ? record.getDisplayName() : null,
        record.getOwnerId(),
        record.hasOwnerName() ? record.getOwnerName() : null,
        record.hasOwnerEmail() ? record.getOwnerEmail() : null,
        Visibility.valueOf(record.getVisibility().toUpperCase(Locale.ROOT)),
        record.getSharesList().stream().map(Records::readShare).toList());
  }

  static Share readShare(ShareResponse share) {
    boolean isUser = share.getGranteeType().equals("user");
    return new Share(
        share.getId(),
        isUser ? Grantee.userId(share.getGranteeId()) : Grantee.groupId(share.getGranteeId()),
        readGrant(share.getPermission(), share.getRole()),
        share.getGrantedBy(),
        readTime(share.getGrantedAt()),
        share.hasExpiresAt() ? readTime(share.getExpiresAt()) : null,
        share.hasCondition() ? readCondition(share.getCondition()) : null,
        share.hasGranteeName() ? share.getGranteeName() : null,
        share.hasGranteeEmail() ? share.getGranteeEmail() : null);
  }

  private static Condition readCondition(ShareCondition condition) {
    return new Condition(condition.getName(), Json.toMap(condition.getParams()));
  }

  private static Condition readCondition(LinkCondition condition) {
    return new Condition(condition.getName(), Json.toMap(condition.getParams()));
  }

  private static Grant readGrant(String permission, String role) {
    return permission.isEmpty() ? new ResourceRole(role) : readPermission(permission);
  }

  private static Permission readPermission(String permission) {
    return Permission.valueOf(permission.toUpperCase(Locale.ROOT));
  }

  static Link readLink(ResourceLink link) {
    return new Link(
        link.getId(),
        readGrant(link.getPermission(), link.getRole()),
        link.hasName() ? link.getName() : null,
        link.hasCreatedBy() ? link.getCreatedBy() : null,
        readTime(link.getCreatedAt()),
        link.hasExpiresAt() ? readTime(link.getExpiresAt()) : null,
        link.hasLastUsedOn() ? LocalDate.parse(link.getLastUsedOn()) : null,
        link.hasCondition() ? readCondition(link.getCondition()) : null);
  }

  static NewLink readNewLink(CreatedLink link) {
    Link created = new Link(
        link.getId(),
        readGrant(link.getPermission(), link.getRole()),
        link.hasName() ? link.getName() : null,
        link.hasCreatedBy() ? link.getCreatedBy() : null,
        readTime(link.getCreatedAt()),
        link.hasExpiresAt() ? readTime(link.getExpiresAt()) : null,
        null,
        link.hasCondition() ? readCondition(link.getCondition()) : null);
    return new NewLink(created, link.getToken());
  }

  static DeclaredType readType(ResourceType declared) {
    List<TypeDeclaration.NamedCondition> conditions = new ArrayList<>();
    declared.getConditionsList().forEach(condition -> {
      Map<String, String> parameters = new HashMap<>();
      Json.toMap(condition.getParameters()).forEach((name, type) -> parameters.put(name, String.valueOf(type)));
      conditions.add(new TypeDeclaration.NamedCondition(
          condition.getName(), condition.getDescription(), condition.getExpression(), parameters));
    });
    TypeDeclaration declaration = new TypeDeclaration(
        declared.getDescription(),
        declared.getAllowPublic(),
        declared.getRolesList().stream()
            .map(role -> new TypeDeclaration.Role(
                role.getName(), role.getDescription(), List.copyOf(role.getActionsList())))
            .toList(),
        conditions,
        declared.getRequirementsList().stream()
            .map(requirement -> new TypeDeclaration.Requirement(
                requirement.getAction(), requirement.getCondition(), requirement.getInherited()))
            .toList());
    DeclaredType.Uses uses = declared.hasResources()
        ? new DeclaredType.Uses(
            declared.getResources(),
            readCounts(declared.getRolesUsed()),
            readCounts(declared.getConditionsUsed()),
            declared.getResourcesBelow())
        : null;
    return new DeclaredType(declared.getResourceType(), declaration, uses);
  }

  private static Map<String, Integer> readCounts(Struct counts) {
    Map<String, Integer> read = new HashMap<>();
    counts.getFieldsMap().forEach((name, count) -> read.put(name, (int) count.getNumberValue()));
    return read;
  }

  /** Reads {@code context.reasons} of an explained evaluation. */
  static List<Reason> readReasons(Struct context) {
    List<Reason> reasons = new ArrayList<>();
    for (Object entry : listOf(Json.toMap(context).get("reasons"))) {
      Map<?, ?> reason = (Map<?, ?>) entry;
      String permission = (String) reason.get("permission");
      String expiresAt = (String) reason.get("expires_at");
      Map<?, ?> inherited = (Map<?, ?>) reason.get("inherited_from");
      reasons.add(new Reason(
          (String) reason.get("rule"),
          permission == null ? null : readPermission(permission),
          (String) reason.get("role"),
          (String) reason.get("group_id"),
          (String) reason.get("share_id"),
          (String) reason.get("link_id"),
          expiresAt == null ? null : Instant.parse(expiresAt),
          (String) reason.get("condition"),
          listOf(reason.get("missing")).stream().map(String::valueOf).toList(),
          inherited == null ? null : readReference(inherited),
          reason.get("resource_id") == null ? null : readReference(reason),
          (String) reason.get("delegation_id"),
          reason.get("agent") instanceof Map<?, ?> agent ? readAgent(agent) : null,
          (String) reason.get("uncovered")));
    }
    return reasons;
  }

  private static Agent readAgent(Map<?, ?> agent) {
    return new Agent((String) agent.get("type"), (String) agent.get("id"), (String) agent.get("name"));
  }

  private static ResourceReference readReference(Map<?, ?> names) {
    return new ResourceReference((String) names.get("resource_type"), (String) names.get("resource_id"));
  }

  /** Returns the error of an item that the server rejected: it is invalid, or names another service. */
  static DaikonException readItemError(Struct context) {
    if (!(Json.toMap(context).get("error") instanceof Map<?, ?> error)) return null;
    String reason = error.get("reason") instanceof String text ? text : "INVALID_REQUEST";
    String message = error.get("message") instanceof String text ? text : "The check is not valid";
    if (error.get("status") instanceof Double status && status == 403)
      return DaikonException.of(Code.PERMISSION_DENIED, reason, ServerErrors.withAdvice(reason, message));
    Field[] fields = listOf(error.get("errors")).stream()
        .map(field -> (Map<?, ?>) field)
        .map(field -> new Field(String.valueOf(field.get("field")), String.valueOf(field.get("message"))))
        .toArray(Field[]::new);
    return DaikonException.of(Code.INVALID_ARGUMENT, "INVALID_REQUEST", message, fields);
  }

  static WatchMessage readMessage(WatchActivityResponse message) {
    if (!message.hasEvent()) return new WatchMessage(message.getCursor(), null);
    ActivityEntry entry = message.getEvent();
    ActivityEvent event = new ActivityEvent(
        entry.getId(),
        entry.getAction(),
        entry.getTargetType(),
        entry.hasTargetId() ? entry.getTargetId() : null,
        entry.hasActorId() ? entry.getActorId() : null,
        entry.hasActorType() ? entry.getActorType() : null,
        entry.hasWorkspaceId() ? entry.getWorkspaceId() : null,
        Json.toMap(entry.getDetail()),
        readTime(entry.getCreatedAt()),
        entry.hasServiceAppId() ? entry.getServiceAppId() : null,
        entry.hasKeyPrefix() ? entry.getKeyPrefix() : null,
        entry.hasApiKeyPrefix() ? entry.getApiKeyPrefix() : null,
        entry.hasAgentType() ? entry.getAgentType() : null,
        entry.hasAgentId() ? entry.getAgentId() : null,
        entry.hasDelegationId() ? entry.getDelegationId() : null,
        entry.hasRequestId() ? entry.getRequestId() : null);
    return new WatchMessage(message.getCursor(), event);
  }

  private static List<?> listOf(Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static Instant readTime(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}
