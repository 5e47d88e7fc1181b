package io.github.daikonauth.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CasesOnFakeTest {
  private static final Instant PAST = Instant.now().minusSeconds(60);

  @Test
  void theFakeReturnsTheResultsOfTheTable() throws IOException {
    Map<String, Object> table = Cases.read();
    String service = (String) table.get("service");
    Map<String, String> values = new HashMap<>();
    Map<String, Object> world = Cases.mapOf(table.get("world"));
    for (String kind : List.of("users", "workspaces", "groups", "delegations"))
      for (Object entry : Cases.listOf(world.get(kind)))
        values.put((String) Cases.mapOf(entry).get("name"), (String) Cases.mapOf(entry).get("id"));
    FakeDaikon fake = new FakeDaikon(createWorld(Cases.mapOf(Cases.substitute(world, values))).service(service));
    for (Object entry : Cases.listOf(world.get("tokens"))) {
      Map<String, Object> token = Cases.mapOf(Cases.substitute(entry, values));
      Duration lifetime = Duration.ofMinutes("expired".equals(token.get("state")) ? -1 : 15);
      String userId = (String) token.get("userId");
      String workspaceId = (String) token.get("workspaceId");
      String created = token.get("delegation") instanceof String delegation
          ? fake.delegatedToken(delegation)
          : token.get("resource") instanceof String resource
              ? fake.tokenForApi(userId, workspaceId, resource, Cases.texts(token.get("scopes")))
              : fake.token(userId, workspaceId, lifetime);
      if ("revoked".equals(token.get("state"))) fake.revokeToken(created);
      if ("forged".equals(token.get("state"))) created = created.replaceFirst("\\.(.*)\\..*$", ".$1.$1");
      values.put((String) token.get("name"), created);
    }
    for (Map<String, Object> row : Cases.rows(table)) {
      // A fake evaluates no expressions.
      if ("cel".equals(row.get("needs"))) continue;
      try {
        Cases.run(
            row,
            other -> other == null ? fake : new FakeDaikon(new FakeWorld().service(other).keyService(service)),
            values);
      } catch (RuntimeException | AssertionError error) {
        throw new AssertionError(row.get("name") + ": " + error.getMessage(), error);
      }
    }
  }

  private static FakeWorld createWorld(Map<String, Object> world) {
    FakeWorld fake = new FakeWorld().actions(Cases.texts(world.get("actions")).toArray(String[]::new));
    each(world, "users", user -> fake.user(new FakeWorld.User(
        text(user, "id"),
        text(user, "email"),
        user.get("externalId") == null ? "" : text(user, "externalId"),
        !Boolean.FALSE.equals(user.get("isActive")),
        text(user, "name"))));
    each(world, "workspaces", workspace -> fake.workspace(text(workspace, "id"), text(workspace, "name")));
    each(world, "members", member -> {
      String workspaceId = text(member, "workspaceId");
      String userId = text(member, "userId");
      if (Boolean.TRUE.equals(member.get("guest"))) fake.guest(workspaceId, userId);
      else if ("left".equals(member.get("state"))) fake.member(workspaceId, userId, text(member, "role"), PAST);
      else fake.member(workspaceId, userId, text(member, "role"));
    });
    each(world, "groups", group -> fake.group(
        text(group, "id"),
        text(group, "workspaceId"),
        text(group, "name"),
        Cases.texts(group.get("members")),
        Cases.texts(group.get("groups"))));
    each(world, "roles", role -> fake.role(
        text(role, "name"),
        text(role, "workspaceId"),
        Cases.texts(role.get("actions")),
        Cases.texts(role.get("members")),
        Cases.texts(role.get("groups"))));
    each(world, "resourceTypes", type -> fake.type(text(type, "type"), Cases.declaration(type)));
    each(world, "resources", resource -> fake.resource(
        Registration.of(text(resource, "type"), text(resource, "id"))
            .workspaceId(text(resource, "workspaceId"))
            .ownerId(text(resource, "ownerId"))
            .visibility(resource.get("visibility") == null
                ? null
                : Visibility.valueOf(text(resource, "visibility").toUpperCase(Locale.ROOT)))
            .parent(Cases.toResource(resource.get("parent")))
            .attributes(resource.get("attributes") == null ? null : Cases.mapOf(resource.get("attributes")))
            .displayName(text(resource, "displayName")),
        !Boolean.FALSE.equals(resource.get("inherits"))));
    each(world, "shares", share -> fake.share(
        Cases.toResource(share.get("resource")),
        share.get("userId") == null
            ? Grantee.groupId(text(share, "groupId"))
            : Grantee.userId(text(share, "userId")),
        Cases.toGrant(share),
        Cases.toCondition(share.get("condition"))));
    each(world, "delegations", row -> fake.delegation(createDelegation(row)));
    return fake
        .condition("by_person", input -> input.agent().type().isEmpty())
        .condition("by_agent",
            input -> input.agent().type().equals(input.params().get("type"))
                && input.agent().id().equals(input.params().get("id")))
        .condition("in_office", input -> "office".equals(input.context().get("network")))
        .condition("up_to",
            input -> (Double) input.context().get("amount") <= (Double) input.params().get("max"))
        .condition("not_locked", input -> !Boolean.TRUE.equals(input.resource().attributes().get("locked")))
        .condition("not_guest", input -> !input.isGuest())
        .condition("own", input -> input.resource().ownerId().equals(input.subjectId()));
  }

  private static FakeDelegation createDelegation(Map<String, Object> row) {
    FakeDelegation delegation =
        FakeDelegation.of(text(row, "id"), text(row, "userId"), text(row, "workspaceId"));
    Map<String, Object> agent = Cases.mapOf(row.get("agent"));
    delegation.agent(new Agent(text(agent, "type"), text(agent, "id"), text(agent, "name")));
    delegation.service(text(row, "serviceName"));
    if (row.get("actions") != null) delegation.actions(Cases.texts(row.get("actions")).toArray(String[]::new));
    if (row.get("resourceTypes") != null)
      delegation.resourceTypes(Cases.texts(row.get("resourceTypes")).toArray(String[]::new));
    if (row.get("resources") != null)
      delegation.resources(
          Cases.listOf(row.get("resources")).stream().map(Cases::toResource).toArray(Resource[]::new));
    if ("expired".equals(row.get("state"))) delegation.expiresAt(PAST);
    return "ended".equals(row.get("state")) ? delegation.ended() : delegation;
  }

  private static void each(
      Map<String, Object> world, String kind, Consumer<Map<String, Object>> add) {
    for (Object entry : Cases.listOf(world.get(kind))) add.accept(Cases.mapOf(entry));
  }

  private static String text(Map<String, Object> values, String name) {
    return (String) values.get(name);
  }
}
