package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The table of clients/cases.json, which clients/README.md describes. */
final class Cases {
  /** The values that no Java program can pass, because the types exclude them. */
  private static final Set<Object> EXCLUDED = new HashSet<>(List.of("own", "secret"));

  private Cases() {}

  static Map<String, Object> read() throws IOException {
    return Json.parse(Files.readString(Path.of("../cases.json")));
  }

  static List<Map<String, Object>> rows(Map<String, Object> table) {
    return listOf(table.get("cases")).stream()
        .map(Cases::mapOf)
        .filter(row -> !EXCLUDED.contains(argumentsOf(row).get("permission")))
        .filter(row -> !EXCLUDED.contains(argumentsOf(row).get("visibility")))
        .toList();
  }

  /** Runs a case. `client` returns the client that names a service. */
  static void run(Map<String, Object> row, Function<String, Daikon> client, Map<String, String> values) {
    String call = (String) row.get("call");
    Map<String, Object> arguments = mapOf(substitute(argumentsOf(row), values));
    Object expected = substitute(row.get("returns"), values);
    Map<String, Object> failure = row.get("fails") == null ? null : mapOf(row.get("fails"));
    Object result;
    try {
      result = call(client.apply((String) row.get("service")), call, arguments);
    } catch (DaikonException error) {
      if (failure == null) throw error;
      assertEquals(failure.get("code"), error.code().toString(), error.getMessage());
      if (failure.get("reason") != null) assertEquals(failure.get("reason"), error.reason());
      if (failure.get("fields") != null)
        assertEquals(failure.get("fields"), error.fields().stream().map(Field::field).toList(), error.getMessage());
      return;
    }
    if (failure != null) fail("returned " + result);
    if (row.get("save") != null)
      mapOf(row.get("save")).forEach((name, field) -> values.put(name, (String) mapOf(result).get(field)));
    if (expected == null) {
      if (!(result instanceof Map)) assertNull(result);
    } else if (expected instanceof Map && result instanceof Map) {
      mapOf(expected).forEach((name, value) -> assertEquals(value, mapOf(result).get(name), name));
    } else {
      boolean isSet = List.of("accessible", "subjects", "shares", "shareMany").contains(call);
      assertEquals(isSet ? sort(listOf(expected).stream()) : expected, result);
    }
  }

  /** Calls an operation. Returns its result as JSON. */
  private static Object call(Daikon daikon, String call, Map<String, Object> arguments) {
    Args args = new Args(arguments);
    return switch (call) {
      case "check" -> daikon.check(args.subject(), args.text("action"), args.resource(), args.context());
      case "checkMany" -> daikon.checkMany(
          args.list("items").map(item -> new Check(item.subject(), item.text("action"), item.resource(),
              item.values.containsKey("context") ? mapOf(item.values.get("context")) : null)).toList(),
          args.context());
      case "accessible" -> {
        String workspaceId = args.text("workspaceId");
        Options.ForAccessible[] options = workspaceId == null
            ? new Options.ForAccessible[] {args.context()}
            : new Options.ForAccessible[] {args.context(), Options.workspaceId(workspaceId)};
        yield sort(daikon.accessible(args.subject(), args.text("action"), args.text("type"), options));
      }
      case "subjects" -> {
        Options.ForSubjects[] options = "group".equals(args.text("type"))
            ? new Options.ForSubjects[] {args.context(), Options.groups()}
            : new Options.ForSubjects[] {args.context()};
        yield sort(daikon.subjects(args.text("action"), args.resource(), options));
      }
      case "explain" -> {
        Explanation explanation =
            daikon.explain(args.subject(), args.text("action"), args.resource(), args.context());
        yield Map.of(
            "allowed", explanation.allowed(),
            "rules", sort(explanation.reasons().stream().map(Reason::rule)),
            "roles", sort(explanation.reasons().stream().map(Reason::role)),
            "conditions", sort(explanation.reasons().stream().map(Reason::condition)),
            "missing", sort(explanation.reasons().stream().flatMap(reason -> reason.missing().stream())),
            "requiredBy", sort(explanation.reasons().stream()
                .map(Reason::requiredBy)
                .map(reference -> reference == null ? null : reference.type())),
            "uncovered", sort(explanation.reasons().stream().map(Reason::uncovered)),
            "delegations", sort(explanation.reasons().stream().map(Reason::delegationId)),
            "agents", sort(explanation.reasons().stream()
                .map(Reason::agent)
                .map(agent -> agent == null ? null : agent.type() + ":" + agent.id() + " " + agent.name())));
      }
      case "register" -> view(daikon.register(args.registration()));
      case "registerMany" -> daikon.registerMany(args.list("resources").map(Args::registration).toList()).stream()
          .map(RegisteredResource::id)
          .toList();
      case "get" -> view(daikon.get(args.resource()));
      case "unregister" -> {
        List<Options.ForUnregister> options = new ArrayList<>(List.of(args.change()));
        if (Boolean.TRUE.equals(args.values.get("cascade"))) options.add(Options.cascade());
        daikon.unregister(args.resource(), options.toArray(Options.ForUnregister[]::new));
        yield null;
      }
      case "share" -> {
        List<Options.ForShare> options = new ArrayList<>(List.of(args.change()));
        if (args.condition() != null) options.add(Options.onlyIf(args.condition()));
        Share share = daikon.share(
            args.resource(), args.grantee(), args.grant(), options.toArray(Options.ForShare[]::new));
        Map<String, Object> view = view(share.grant());
        view.put("grantee", share.grantee() instanceof Grantee.UserId user
            ? Map.of("userId", user.userId())
            : Map.of("groupId", ((Grantee.GroupId) share.grantee()).groupId()));
        if (share.condition() != null)
          view.put("condition", Map.of("name", share.condition().name(), "params", share.condition().params()));
        yield view;
      }
      case "shareMany" -> listGrantees(daikon.shareMany(
          args.list("shares")
              .map(item ->
                  new NewShare(item.resource(), item.grantee(), item.grant(), null, item.condition()))
              .toList(),
          args.change()));
      case "shares" -> listGrantees(daikon.shares(args.resource()));
      case "revoke" -> {
        daikon.revoke(args.resource(), args.grantee(), args.change());
        yield null;
      }
      case "createLink" -> {
        List<Options.ForLink> options = new ArrayList<>(List.of(args.change()));
        if (args.condition() != null) options.add(Options.onlyIf(args.condition()));
        if (args.text("name") != null) options.add(Options.name(args.text("name")));
        NewLink created =
            daikon.createLink(args.resource(), args.grant(), options.toArray(Options.ForLink[]::new));
        Map<String, Object> view = view(created.link().grant());
        view.put("id", created.link().id());
        view.put("token", created.token());
        view.put("name", created.link().name());
        view.put("createdBy", created.link().createdBy());
        yield view;
      }
      case "links" -> daikon.links(args.resource(), args.change()).stream()
          .map(link -> link.name() == null ? "" : link.name())
          .toList();
      case "revokeLink" -> {
        daikon.revokeLink(args.resource(), args.text("linkId"), args.change());
        yield null;
      }
      case "setVisibility" -> view(daikon.setVisibility(
          args.resource(), Visibility.valueOf(args.text("visibility").toUpperCase(Locale.ROOT)), args.change()));
      case "setAttributes" -> view(
          daikon.setAttributes(args.resource(), mapOf(args.values.get("attributes")), args.change()));
      case "setDisplayName" -> view(
          daikon.setDisplayName(args.resource(), args.text("displayName"), args.change()));
      case "setParent" -> {
        List<Options.ForParent> options = new ArrayList<>(List.of(args.change()));
        if (args.values.get("inherits") instanceof Boolean inherits) options.add(Options.inherits(inherits));
        yield view(daikon.setParent(
            args.resource(), args.resource("parent"), options.toArray(Options.ForParent[]::new)));
      }
      case "transfer" -> view(daikon.transfer(args.resource(), args.text("userId"), args.change()));
      case "registerActions" -> {
        daikon.registerActions(listOf(args.values.get("actions")).stream()
            .map(action -> action instanceof String name
                ? new Action(name)
                : new Action((String) mapOf(action).get("name"), (String) mapOf(action).get("description")))
            .toList());
        yield null;
      }
      case "declareType" -> {
        if (!Boolean.TRUE.equals(args.values.get("dryRun"))) {
          daikon.declareType(args.text("type"), declaration(args.values));
          yield null;
        }
        DeclaredType.Uses uses =
            daikon.declareType(args.text("type"), declaration(args.values), Options.dryRun()).uses();
        Map<String, Object> counts = new HashMap<>(Map.of(
            "resources", (double) uses.resources(),
            "roles", toDoubles(uses.roles()),
            "conditions", toDoubles(uses.conditions())));
        if (uses.resourcesBelow() > 0) counts.put("resourcesBelow", (double) uses.resourcesBelow());
        yield Map.of("uses", counts);
      }
      case "resourceTypes" -> sort(daikon.resourceTypes().stream().map(DeclaredType::type));
      case "deleteType" -> {
        daikon.deleteType(args.text("type"));
        yield null;
      }
      case "verifyAccessToken" -> {
        List<Options.ForToken> options = new ArrayList<>();
        if (args.text("audience") != null) options.add(Options.audience(args.text("audience")));
        if (Boolean.TRUE.equals(args.values.get("delegated"))) options.add(Options.delegated());
        Claims claims = daikon.verifyAccessToken(args.text("token"), options.toArray(Options.ForToken[]::new));
        Map<String, Object> view = new HashMap<>();
        view.put("userId", claims.subject());
        view.put("workspaceId", claims.workspaceId());
        view.put("agent", claims.agent() == null ? null : claims.agent().type() + ":" + claims.agent().id());
        view.put("delegationId", claims.delegationId());
        yield view;
      }
      case "resourceId" -> daikon.resourceId(new Resource(args.text("type"), args.text("id")));
      default -> throw new IllegalArgumentException("no operation " + call);
    };
  }

  /** The arguments of a case. */
  private record Args(Map<String, Object> values) {
    String text(String name) {
      return (String) values.get(name);
    }

    Stream<Args> list(String name) {
      return listOf(values.get(name)).stream().map(item -> new Args(mapOf(item)));
    }

    Resource resource() {
      return resource("resource");
    }

    Resource resource(String name) {
      return toResource(values.get(name));
    }

    Subject subject() {
      Map.Entry<String, Object> entry = mapOf(values.get("subject")).entrySet().iterator().next();
      String id = String.valueOf(entry.getValue());
      return switch (entry.getKey()) {
        case "token" -> Subject.token(id);
        case "apiKey" -> Subject.apiKey(id);
        case "userId" -> Subject.userId(id);
        case "email" -> Subject.email(id);
        case "externalId" -> Subject.externalId(id);
        case "groupId" -> Subject.groupId(id);
        case "link" -> Subject.link(id);
        case "delegation" -> Subject.delegation(id);
        default -> Subject.anonymous();
      };
    }

    Grantee grantee() {
      Map.Entry<String, Object> entry = mapOf(values.get("grantee")).entrySet().iterator().next();
      String id = (String) entry.getValue();
      return switch (entry.getKey()) {
        case "userId" -> Grantee.userId(id);
        case "email" -> Grantee.email(id);
        case "externalId" -> Grantee.externalId(id);
        case "groupId" -> Grantee.groupId(id);
        default -> Grantee.group(id);
      };
    }

    Grant grant() {
      return toGrant(values);
    }

    Condition condition() {
      return toCondition(values.get("condition"));
    }

    Options.ForDecision context() {
      return Options.context(values.get("context") == null ? null : mapOf(values.get("context")));
    }

    Options.ForChange[] change() {
      return new Options.ForChange[] {Options.as(text("as")), context()};
    }

    Registration registration() {
      String visibility = text("visibility");
      return Registration.of(text("type"), text("id"))
          .workspaceId(text("workspaceId"))
          .ownerId(text("ownerId"))
          .ownerEmail(text("ownerEmail"))
          .ownerExternalId(text("ownerExternalId"))
          .visibility(visibility == null ? null : Visibility.valueOf(visibility.toUpperCase(Locale.ROOT)))
          .parent(resource("parent"))
          .attributes(values.get("attributes") == null ? null : mapOf(values.get("attributes")))
          .displayName(text("displayName"));
    }
  }

  static Resource toResource(Object value) {
    return value == null
        ? null
        : new Resource((String) mapOf(value).get("type"), (String) mapOf(value).get("id"));
  }

  static Grant toGrant(Map<String, Object> values) {
    if (values.get("role") != null) return new ResourceRole((String) values.get("role"));
    String permission = (String) values.get("permission");
    return permission == null ? null : Permission.valueOf(permission.toUpperCase(Locale.ROOT));
  }

  static Condition toCondition(Object value) {
    if (value == null) return null;
    Object params = mapOf(value).get("params");
    return new Condition((String) mapOf(value).get("name"), params == null ? Map.of() : mapOf(params));
  }

  static TypeDeclaration declaration(Map<String, Object> values) {
    return new TypeDeclaration(
        values.get("description") instanceof String text ? text : "",
        Boolean.TRUE.equals(values.get("allowPublic")),
        listOf(values.get("roles")).stream()
            .map(Cases::mapOf)
            .map(role -> new TypeDeclaration.Role((String) role.get("name"), texts(role.get("actions"))))
            .toList(),
        listOf(values.get("conditions")).stream().map(Cases::mapOf).map(Cases::namedCondition).toList(),
        listOf(values.get("requirements")).stream()
            .map(Cases::mapOf)
            .map(item -> new TypeDeclaration.Requirement(
                (String) item.get("action"),
                (String) item.get("condition"),
                Boolean.TRUE.equals(item.get("inherited"))))
            .toList());
  }

  private static TypeDeclaration.NamedCondition namedCondition(Map<String, Object> values) {
    Map<String, String> parameters = new HashMap<>();
    if (values.get("parameters") != null)
      mapOf(values.get("parameters")).forEach((name, type) -> parameters.put(name, (String) type));
    return new TypeDeclaration.NamedCondition(
        (String) values.get("name"), "", (String) values.get("expression"), parameters);
  }

  private static Map<String, Object> view(RegisteredResource resource) {
    Map<String, Object> view = new HashMap<>();
    view.put("type", resource.type());
    view.put("id", resource.id());
    view.put("workspaceId", resource.workspaceId());
    view.put("ownerId", resource.ownerId());
    view.put("visibility", resource.visibility().toString());
    view.put("inherits", resource.inherits());
    view.put("attributes", resource.attributes());
    view.put("displayName", resource.displayName());
    view.put("ownerName", resource.ownerName());
    view.put("ownerEmail", resource.ownerEmail());
    view.put("sharedWith", nameGrantees(resource.shares()));
    view.put("inherited", resource.ancestors().stream().map(Cases::viewAncestor).toList());
    return view;
  }

  private static String viewAncestor(Ancestor ancestor) {
    List<String> holders = new ArrayList<>(List.of(ancestor.ownerName() + " " + ancestor.ownerEmail()));
    holders.addAll(nameGrantees(ancestor.shares()));
    String visibility = ancestor.visibility().name().toLowerCase(Locale.ROOT);
    return ancestor.type() + " " + ancestor.id() + " " + visibility + ": " + String.join(", ", holders);
  }

  private static List<String> nameGrantees(List<Share> shares) {
    return shares.stream()
        .map(share -> textOf(share.granteeName()) + " " + textOf(share.granteeEmail()))
        .sorted()
        .toList();
  }

  private static String textOf(String text) {
    return text == null ? "" : text;
  }

  private static Map<String, Object> view(Grant grant) {
    Map<String, Object> view = new LinkedHashMap<>();
    if (grant instanceof ResourceRole role) view.put("role", role.name());
    else view.put("permission", grant.toString());
    return view;
  }

  private static List<String> listGrantees(List<Share> shares) {
    return sort(shares.stream().map(share -> share.grantee() instanceof Grantee.UserId user
        ? user.userId()
        : ((Grantee.GroupId) share.grantee()).groupId()));
  }

  private static Map<String, Object> toDoubles(Map<String, Integer> counts) {
    Map<String, Object> doubles = new TreeMap<>();
    counts.forEach((name, count) -> doubles.put(name, count.doubleValue()));
    return doubles;
  }

  private static List<String> sort(Stream<?> values) {
    return values.filter(value -> value != null).map(String::valueOf).sorted().toList();
  }

  /** Replaces strings that begin with $ with their values. */
  static Object substitute(Object value, Map<String, String> values) {
    if (value instanceof String text && text.startsWith("$"))
      return values.getOrDefault(text.substring(1), text);
    if (value instanceof List<?> list) return list.stream().map(item -> substitute(item, values)).toList();
    if (!(value instanceof Map<?, ?>)) return value;
    Map<String, Object> replaced = new LinkedHashMap<>();
    mapOf(value).forEach((name, item) -> replaced.put(name, substitute(item, values)));
    return replaced;
  }

  static Map<String, Object> argumentsOf(Map<String, Object> row) {
    return mapOf(row.getOrDefault("args", Map.of()));
  }

  static List<String> texts(Object list) {
    return listOf(list).stream().map(String::valueOf).toList();
  }

  static List<?> listOf(Object list) {
    return list == null ? List.of() : (List<?>) list;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> mapOf(Object map) {
    return (Map<String, Object>) map;
  }
}
