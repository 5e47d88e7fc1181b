package io.github.daikonauth.client;

import io.github.daikonauth.client.FakeState.Entry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The operations of a fake on shares and links. */
abstract class FakeShares extends FakeOperations {
  FakeShares(FakeState state) {
    super(state);
  }

  @Override
  public List<Share> shares(Resource resource, Options.ForAny... options) {
    return get(resource, options).shares();
  }

  @Override
  public Share share(Resource resource, Grantee grantee, Grant grant, Options.ForShare... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      LinkOperations.requireGrant(grant);
      rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      return grant(found, new NewShare(resource, grantee, grant, settings.expiresAt, settings.condition), settings);
    });
  }

  /** Checks what a share or link grants. Returns whether that contains manage. */
  private boolean readGrant(String type, Grant grant, Instant expiresAt, Condition condition) {
    LinkOperations.requireGrant(grant);
    if (!FakeState.isCurrent(expiresAt))
      throw DaikonException.invalid(new Field("expires_at", "must be in the future"));
    TypeDeclaration.Role role = types.requireRole(type, grant);
    types.requireCondition(type, condition);
    return role != null && role.actions().contains("manage");
  }

  private static Condition copyOf(Condition condition) {
    if (condition == null) return null;
    return new Condition(condition.name(), FakeState.copyOf("condition.params", condition.params()));
  }

  private Share grant(Entry entry, NewShare share, Settings settings) {
    boolean manages = readGrant(entry.resource.type(), share.grant(), share.expiresAt(), share.condition());
    if (manages) rights.requireOwnership(entry, settings);
    Grantee grantee = findGrantee(entry, share.grantee());
    if (!isIn(entry, grantee))
      throw FakeState.notFound("GRANTEE_NOT_FOUND", "No such user or group in the workspace");
    Share known = entry.shares.stream().filter(other -> other.grantee().equals(grantee)).findFirst().orElse(null);
    // A service that shares without a user does so for the owner.
    String grantedBy = settings.token == null ? entry.ownerId : rights.requireUser(settings.token).subject();
    Share granted = new Share(
        known == null ? UUID.randomUUID().toString() : known.id(),
        grantee,
        share.grant(),
        grantedBy,
        Instant.now(),
        share.expiresAt(),
        copyOf(share.condition()),
        null,
        null);
    entry.shares = new ArrayList<>(entry.shares);
    entry.shares.remove(known);
    entry.shares.add(granted);
    return granted;
  }

  /** Returns the user or group that a grantee names, by ID; the ID is empty if there is none. */
  private Grantee findGrantee(Entry entry, Grantee grantee) {
    if (grantee instanceof Grantee.Email email) return Grantee.userId(state.findByEmail(email.email()));
    if (grantee instanceof Grantee.ExternalId external)
      return Grantee.userId(state.findByExternalId(external.externalId()));
    if (grantee instanceof Grantee.Group named) {
      for (FakeWorld.Group group : state.world.groups.values())
        if (group.workspaceId().equals(entry.workspaceId) && group.name().equals(named.group().trim()))
          return Grantee.groupId(group.id());
      return Grantee.groupId("");
    }
    if (grantee instanceof Grantee.UserId user) requireId("grantee_id", user.userId());
    else if (grantee instanceof Grantee.GroupId group) requireId("grantee_id", group.groupId());
    else throw DaikonException.invalid(new Field("grantee", "is required"));
    return grantee;
  }

  private boolean isIn(Entry entry, Grantee grantee) {
    if (grantee instanceof Grantee.UserId user) return state.roleOf(entry.workspaceId, user.userId()) != null;
    FakeWorld.Group group = state.world.groups.get(((Grantee.GroupId) grantee).groupId());
    return group != null && group.workspaceId().equals(entry.workspaceId);
  }

  @Override
  public List<Share> shareMany(List<NewShare> shares, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Map<Entry, List<Share>> before = new HashMap<>();
      for (NewShare share : shares) {
        Entry entry = state.find(share.resource());
        if (entry != null) before.put(entry, entry.shares);
      }
      Set<String> named = new HashSet<>();
      return readAll("shares", shares, share -> grantItem(share, settings, named),
          () -> before.forEach((entry, kept) -> entry.shares = kept));
    });
  }

  private Share grantItem(NewShare share, Settings settings, Set<String> named) {
    Arguments.requireResource(share.resource());
    rights.requireOwnService();
    if (state.find(share.resource()) == null)
      throw DaikonException.invalid(new Field("resource_id", "is not a registered resource"));
    Entry entry = rights.requireManageable(share.resource(), settings);
    Grantee grantee = findGrantee(entry, share.grantee());
    String field = "grantee_id";
    if (share.grantee() instanceof Grantee.Email) field = "grantee_email";
    else if (share.grantee() instanceof Grantee.ExternalId) field = "grantee_external_id";
    else if (share.grantee() instanceof Grantee.Group) field = "group_name";
    if (!isIn(entry, grantee))
      throw DaikonException.invalid(new Field(field, "is not in the workspace of the resource"));
    if (!named.add(entry.resourceId + " " + grantee))
      throw DaikonException.invalid(new Field(field, "is duplicated"));
    return grant(entry, share, settings);
  }

  @Override
  public void revoke(Resource resource, Grantee grantee, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      Entry found = rights.requireManageable(resource, settings);
      Grantee known = findGrantee(found, grantee);
      if (!found.shares.removeIf(share -> share.grantee().equals(known)))
        throw FakeState.notFound("SHARE_NOT_FOUND", "Share not found");
      return null;
    });
  }

  @Override
  public NewLink createLink(Resource resource, Grant grant, Options.ForLink... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      Claims claims = rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      if (readGrant(found.resource.type(), grant, settings.expiresAt, settings.condition))
        throw DaikonException.invalid(new Field("role", "must not contain manage"));
      String id = UUID.randomUUID().toString();
      Link link = new Link(
          id, grant, settings.name, claims.subject(), Instant.now(), settings.expiresAt, null, copyOf(settings.condition));
      NewLink created = new NewLink(link, "dl_" + UUID.randomUUID());
      found.links.add(created);
      return created;
    });
  }

  @Override
  public List<Link> links(Resource resource, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    return run(() -> {
      rights.requireUser(settings.token);
      return rights.requireManageable(resource, settings).links.stream()
          .map(NewLink::link)
          .filter(link -> FakeState.isCurrent(link.expiresAt()))
          .toList();
    });
  }

  @Override
  public void revokeLink(Resource resource, String linkId, Options.ForChange... options) {
    Settings settings = Settings.read(options);
    run(() -> {
      requireId("link_id", linkId);
      rights.requireUser(settings.token);
      Entry found = rights.requireManageable(resource, settings);
      if (!found.links.removeIf(created -> created.link().id().equals(linkId)))
        throw FakeState.notFound("LINK_NOT_FOUND", "Link not found");
      return null;
    });
  }
}
