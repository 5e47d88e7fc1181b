package io.github.daikonauth.client;

import static io.github.daikonauth.client.AccessRules.BUILT_IN;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.FakeDelegations.Asked;
import io.github.daikonauth.client.FakeState.Entry;
import io.github.daikonauth.client.FakeWorld.ConditionFunction;
import io.github.daikonauth.client.FakeWorld.ConditionInput;
import io.github.daikonauth.client.FakeWorld.CustomRole;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One decision of a fake about a resource. */
final class FakeDecision {
  private static final Agent NO_AGENT = new Agent("", "", "");

  /** The result of a condition. */
  private record Verdict(String condition, boolean isTrue, boolean hasFailed) {}

  /**
   * A grant.
   *
   * @param bits none if it does not count
   * @param withheldBits those that it would have if it counted
   * @param failure why it does not count, if that is the reason for a denial; otherwise null
   */
  private record Found(int bits, Reason reason, int withheldBits, Reason failure) {}

  private final FakeState state;
  private final FakeSubject subject;
  private final String action;
  private final String type;
  private final Entry resource;
  private final Map<String, Object> context;

  /** @param resource null if it is unknown */
  FakeDecision(
      FakeState state,
      FakeSubject subject,
      String action,
      String type,
      Entry resource,
      Map<String, Object> context) {
    this.state = state;
    this.subject = subject;
    this.action = action;
    this.type = type;
    this.resource = resource;
    this.context = context;
  }

  FakeDecision(
      FakeState state, FakeSubject subject, String action, Entry resource, Map<String, Object> context) {
    this(state, subject, action, resource.resource.type(), resource, context);
  }

  Explanation decide() {
    Explanation ofUser = decideUser();
    if (subject.delegated() == null) return ofUser;
    Asked asked = new Asked(action, type, resource == null ? null : resource.workspaceId, resource, isKnown());
    return FakeDelegations.decide(state, subject.delegated(), asked, ofUser);
  }

  /** Whether the resource exists for the user: it is in the workspace of the delegation, or public. */
  private boolean isKnown() {
    if (resource == null) return false;
    if (resource.workspaceId.equals(subject.workspaceId())) return true;
    return new FakeDecision(state, subject, "view", resource, context).decidePublic("resource_unknown").allowed();
  }

  private Explanation decideUser() {
    String denial = findDenial();
    if (denial != null) return decidePublic(denial);
    String role = subject.roleIn(state, resource.workspaceId);
    List<Found> found = findGrants(subject);
    List<Unmet> unmet = findUnmet(action);
    // A custom role gives the action on what the subject may view.
    boolean isViewBarred = !BUILT_IN.contains(action) && !findUnmet("view").isEmpty();
    List<Reason> customRoles =
        isViewBarred ? List.of() : findCustomRoles(state, subject, action, resource.workspaceId);
    int actionFacts = (state.actions.contains(action) ? AccessRules.ACTION_REGISTERED : 0)
        | (customRoles.isEmpty() ? 0 : AccessRules.ACTION_GRANTED);
    int facts = AccessRules.REGISTERED | actionFacts;
    for (Found grant : found) facts |= grant.bits();
    if (AccessRules.isAllowed(role, action, facts)) {
      if (!unmet.isEmpty()) return denyUnmet(unmet);
      return new Explanation(true, listReasons(role, facts, found, customRoles));
    }
    if (!AccessRules.isAllowed("owner", action, facts)) return deny("action_unknown");
    List<Reason> failures = found.stream()
        .filter(grant -> grant.failure() != null)
        .filter(grant -> AccessRules.isAllowed(role, action, grant.withheldBits() | actionFacts))
        .map(Found::failure)
        .toList();
    return failures.isEmpty() ? deny("no_grant") : new Explanation(false, failures);
  }

  /** Whether the subject is an active member of the workspace of the resource, or a group of it. */
  boolean isMember() {
    return findDenial() == null;
  }

  /** Whether the subject owns the resource or an ancestor that it inherits from, or administers its workspace. */
  boolean isOwner() {
    String role = state.roleOf(resource.workspaceId, subject.id());
    if (role != null && AccessRules.coversWorkspace(role)) return true;
    return findGrants(subject).stream().anyMatch(grant -> (grant.bits() & AccessRules.OWNER) != 0);
  }

  /** Returns why the subject has no role in the workspace of the resource; null if it has one. */
  private String findDenial() {
    if (!subject.isKnown()) return subject.isLink() ? "link_unknown" : "user_unknown";
    if (!subject.isActive()) return "user_inactive";
    boolean isElsewhere = resource != null
        && subject.workspaceId() != null
        && !subject.workspaceId().equals(resource.workspaceId);
    if (resource == null || isElsewhere) return "resource_unknown";
    if (subject.roleIn(state, resource.workspaceId) != null) return null;
    return subject.isLink() ? "no_grant" : "not_a_member";
  }

  /** Decides for a subject without a role in the workspace, who may only view what is public. */
  private Explanation decidePublic(String denial) {
    if (resource == null || !action.equals("view") || !subject.mayViewPublic()) return deny(denial);
    List<Reason> reasons = findGrants(FakeSubject.NOBODY).stream()
        .filter(grant -> (grant.bits() & AccessRules.PUBLIC) != 0)
        .map(Found::reason)
        .toList();
    if (reasons.isEmpty()) return deny(denial);
    List<Unmet> unmet = findUnmet(action);
    return unmet.isEmpty() ? new Explanation(true, reasons) : denyUnmet(unmet);
  }

  /** Returns the grants on the resource and on the ancestors that it inherits from. */
  private List<Found> findGrants(FakeSubject asked) {
    Set<String> groupIds = state.groupsOf(asked.id());
    // Inherited from a public resource by one that may not be public, the visibility means workspace.
    boolean allowsPublic = state.declaration(resource.resource.type()).allowPublic();
    boolean isGuest = asked.isGuestIn(state, resource.workspaceId);
    List<Found> found = new ArrayList<>();
    for (Entry entry = resource; entry != null; entry = entry.inherits ? entry.parent : null) {
      if (entry.ownerId.equals(asked.id())) found.add(certain(AccessRules.OWNER, "owner", entry));
      if (entry.visibility == Visibility.PUBLIC && allowsPublic)
        found.add(certain(AccessRules.WORKSPACE | AccessRules.PUBLIC, "public", entry));
      else if (entry.visibility != Visibility.PRIVATE && !asked.isLink())
        found.add(
            isGuest
                ? new Found(0, certainReason("workspace_visibility", entry), AccessRules.WORKSPACE,
                    certainReason("guest", entry))
                : certain(AccessRules.WORKSPACE, "workspace_visibility", entry));
      for (Share share : entry.shares) {
        if (share.grantee() instanceof Grantee.UserId user && user.userId().equals(asked.id()))
          addGranted(found, entry, "share", null, share.id(), null, share.grant(), share.expiresAt(), share.condition());
        if (share.grantee() instanceof Grantee.GroupId group && groupIds.contains(group.groupId()))
          addGranted(found, entry, "group_share", group.groupId(), share.id(), null, share.grant(), share.expiresAt(),
              share.condition());
      }
      if (!asked.isLink()) continue;
      for (NewLink created : entry.links) {
        Link link = created.link();
        if (link.id().equals(asked.id()))
          addGranted(found, entry, "link", null, null, link.id(), link.grant(), link.expiresAt(), link.condition());
      }
    }
    return found;
  }

  private Found certain(int bits, String rule, Entry entry) {
    return new Found(bits, certainReason(rule, entry), 0, null);
  }

  private Reason certainReason(String rule, Entry entry) {
    return new Reason(rule, null, null, null, null, null, null, null, List.of(), inheritedFrom(entry), null);
  }

  private ResourceReference inheritedFrom(Entry entry) {
    return entry == resource ? null : new ResourceReference(entry.resource.type(), entry.resourceId);
  }

  private void addGranted(
      List<Found> found,
      Entry entry,
      String rule,
      String groupId,
      String shareId,
      String linkId,
      Grant grant,
      Instant expiresAt,
      Condition condition) {
    if (!FakeState.isCurrent(expiresAt)) return;
    int bits = bitsOf(entry.resource.type(), grant);
    Verdict verdict = condition == null ? null : evaluate(condition);
    Reason reason = new Reason(
        rule,
        grant instanceof Permission permission ? permission : null,
        grant instanceof ResourceRole role ? role.name() : null,
        groupId,
        shareId,
        linkId,
        expiresAt,
        condition == null ? null : condition.name(),
        List.of(),
        inheritedFrom(entry),
        null);
    boolean counts = verdict == null || verdict.isTrue();
    Reason failure = verdict == null || !verdict.hasFailed()
        ? null
        : new Reason("condition_failed", null, null, null, shareId, linkId, null, condition.name(), List.of(), null, null);
    found.add(new Found(counts ? bits : 0, reason, bits, failure));
  }

  /** Returns the grants that a share or link gives for the action. */
  private int bitsOf(String type, Grant grant) {
    if (grant instanceof Permission permission)
      return permission == Permission.EDIT ? AccessRules.EDIT | AccessRules.VIEW : AccessRules.VIEW;
    String name = ((ResourceRole) grant).name();
    List<String> actions = state.declaration(type).roles().stream()
        .filter(role -> role.name().equals(name))
        .findFirst()
        .map(TypeDeclaration.Role::actions)
        .orElse(List.of());
    return (actions.stream().anyMatch(BUILT_IN::contains) ? AccessRules.VIEW : 0)
        | (actions.contains("edit") ? AccessRules.EDIT : 0)
        | (actions.contains("manage") ? AccessRules.MANAGE : 0)
        | (actions.contains(action) ? AccessRules.ACTION : 0);
  }

  /** Returns the custom roles with which a subject may perform a registered action. */
  static List<Reason> findCustomRoles(
      FakeState state, FakeSubject subject, String action, String workspaceId) {
    List<Reason> direct = new ArrayList<>();
    List<Reason> ofGroups = new ArrayList<>();
    if (BUILT_IN.contains(action) || !state.actions.contains(action)) return direct;
    Set<String> groupIds = state.groupsOf(subject.id());
    for (CustomRole role : state.world.roles) {
      if (!role.workspaceId().equals(workspaceId) || !role.actions().contains(action)) continue;
      if (role.members().contains(subject.id())) direct.add(roleReason("custom_role", role.name(), null));
      for (String groupId : role.groups())
        if (groupIds.contains(groupId)) ofGroups.add(roleReason("custom_role", role.name(), groupId));
    }
    direct.addAll(ofGroups);
    return direct;
  }

  static Reason roleReason(String rule, String role, String groupId) {
    return new Reason(rule, null, role, groupId, null, null, null, null, List.of(), null, null);
  }

  /** A requirement that is not met, and the resource that it was judged with. */
  private record Unmet(Verdict verdict, Entry requiredBy) {}

  /**
   * Returns the requirements of an action that are not met: those of the type of the resource, and the inherited ones of
   * each ancestor that it inherits from, which are judged with that ancestor.
   */
  private List<Unmet> findUnmet(String required) {
    List<Unmet> unmet = new ArrayList<>();
    for (Entry entry : resource.reached()) {
      for (TypeDeclaration.Requirement requirement : state.declaration(entry.resource.type()).requirements()) {
        if (!requirement.action().equals(required) || (entry != resource && !requirement.inherited())) continue;
        Verdict verdict = evaluate(new Condition(requirement.condition()), entry);
        if (!verdict.isTrue()) unmet.add(new Unmet(verdict, entry));
      }
    }
    return unmet;
  }

  private Verdict evaluate(Condition condition) {
    return evaluate(condition, resource);
  }

  private Verdict evaluate(Condition condition, Entry entry) {
    String name = condition.name();
    ConditionFunction function = state.world.conditions.get(name);
    if (function == null) {
      String message = "The fake has no function for the condition " + name + ": only the server evaluates "
          + "expressions. Add one with FakeWorld.condition";
      throw DaikonException.of(Code.FAILED_PRECONDITION, "CONDITION_WITHOUT_FUNCTION", message);
    }
    Map<String, Object> params = FakeState.copyOf("condition.params", condition.params());
    try {
      String subjectId = subject.isKnown() ? subject.id() : "";
      Agent agent = subject.delegated() == null ? NO_AGENT : subject.delegated().delegation().agent;
      boolean isGuest = subject.isGuestIn(state, resource.workspaceId);
      // Members of a group with a guest differ, so a condition that reads it has no result.
      List<Boolean> guests = isGuest && subject.kind().equals("group") ? List.of(true, false) : List.of(isGuest);
      List<Boolean> results = guests.stream()
          .map(guest -> function.test(new ConditionInput(
              subjectId, guest, action, entry.view(), context, params, agent)))
          .distinct()
          .toList();
      return new Verdict(name, results.equals(List.of(true)), results.size() > 1);
    } catch (RuntimeException error) {
      return new Verdict(name, false, true);
    }
  }

  private List<Reason> listReasons(String role, int facts, List<Found> found, List<Reason> customRoles) {
    boolean isCovered = AccessRules.coversWorkspace(role);
    int sufficient = AccessRules.sufficientGrants(isCovered ? "editor" : role, action, facts);
    List<Reason> reasons = new ArrayList<>();
    if (isCovered) reasons.add(roleReason("workspace_role", role, null));
    for (Found grant : found) if ((grant.bits() & sufficient) != 0) reasons.add(grant.reason());
    // The role of a share can allow an action without view, which a custom role needs.
    if (!BUILT_IN.contains(action) && AccessRules.isAllowed(role, "view", facts)) reasons.addAll(customRoles);
    return reasons;
  }

  private static Explanation denyUnmet(List<Unmet> unmet) {
    List<Reason> reasons = new ArrayList<>();
    for (Unmet requirement : unmet) {
      reasons.add(requirementReason("requirement_not_met", requirement));
      if (requirement.verdict().hasFailed()) reasons.add(requirementReason("condition_failed", requirement));
    }
    return new Explanation(false, reasons);
  }

  private static Reason requirementReason(String rule, Unmet unmet) {
    Entry entry = unmet.requiredBy();
    ResourceReference requiredBy = new ResourceReference(entry.resource.type(), entry.resourceId);
    String condition = unmet.verdict().condition();
    return new Reason(rule, null, null, null, null, null, null, condition, List.of(), null, requiredBy);
  }

  /** Decides about a workspace itself for a subject, and for the agent that acts for it. */
  static Explanation decideWorkspace(FakeState state, FakeSubject subject, String action, String workspaceId) {
    Explanation ofUser = decideWorkspaceOfUser(state, subject, action, workspaceId);
    if (subject.delegated() == null) return ofUser;
    Asked asked = new Asked(action, FakeTypes.WORKSPACE, workspaceId, null, true);
    return FakeDelegations.decide(state, subject.delegated(), asked, ofUser);
  }

  /**
   * Decides about a workspace itself: members may view it, owners and admins may do everything, and members who have a
   * custom role with an action may perform it.
   */
  private static Explanation decideWorkspaceOfUser(
      FakeState state, FakeSubject subject, String action, String workspaceId) {
    if (subject.isLink()) return deny("no_grant");
    if (!subject.isKnown()) return deny("user_unknown");
    if (!subject.isActive()) return deny("user_inactive");
    boolean isLimited = subject.workspaceId() != null && !subject.workspaceId().equals(workspaceId);
    if (workspaceId == null || isLimited) return deny("resource_unknown");
    String role = subject.roleIn(state, workspaceId);
    if (role == null) return deny("not_a_member");
    if (!BUILT_IN.contains(action) && !state.actions.contains(action)) return deny("action_unknown");
    List<Reason> customRoles = findCustomRoles(state, subject, action, workspaceId);
    boolean isAllowed =
        AccessRules.coversWorkspace(role) || action.equals("view") || !customRoles.isEmpty();
    if (!isAllowed) return deny("no_grant");
    List<Reason> reasons = new ArrayList<>(List.of(roleReason("workspace_role", role, null)));
    reasons.addAll(customRoles);
    return new Explanation(true, reasons);
  }

  private static Explanation deny(String rule) {
    return new Explanation(
        false, List.of(new Reason(rule, null, null, null, null, null, null, null, List.of(), null, null)));
  }
}
