"""Makes generated requests satisfy the rules that a JSON Schema cannot express."""

import re
import uuid
from datetime import datetime, timedelta, timezone

import schemathesis

resource_namespace = uuid.UUID("f8e1572e-33cb-4304-a2f6-032bcbfe9088")


# What browsers send, of which only the outer form is checked as a field.
valid_credential = {
    "id": "AA",
    "type": "public-key",
    "response": {
        "clientDataJSON": "e30",
        "attestationObject": "oA",
        "authenticatorData": "AA",
        "signature": "AA",
        "userHandle": "AA",
    },
}


@schemathesis.hook
def map_query(context, query):
    query = storable(query)
    if query and context.operation.path == "/admin/users/{user_id}":
        choose_new_owner(query)
    return query


@schemathesis.hook
def before_call(context, case, kwargs):
    """Rules between parameters: in `map_query`, those that have examples are still missing."""
    operation = case.operation
    if operation.path == "/admin/grants" and operation.method.upper() == "DELETE":
        case.query = choose_clients(case.query or {})


@schemathesis.hook
def map_body(context, body):
    operation = context.operation
    body = storable(body)
    if operation.path.startswith("/admin/import/csv") and isinstance(body, str) and body:
        return "email,workspace_slug\n"
    if isinstance(body, dict):
        postpone(body)
        if "/register" in operation.path:
            for resource in body.get("resources") or [body]:
                name_resource(resource)
        if "/share" in operation.path:
            for share in body.get("shares") or [body]:
                name_grantee(share)
        if operation.path.endswith("/parent") and isinstance(body.get("parent"), dict):
            body["parent"] = None
        if operation.path.endswith(("/share", "/links")):
            choose_permission(body)
        if "/service-accounts" in operation.path:
            choose_end(body)
        if "/members" in operation.path and operation.method.upper() == "PATCH":
            choose_change(body)
        if body.get("guest") is True:
            body["role"] = "viewer"
        if operation.path == "/admin/users/batch" and body.get("is_active") is None:
            body["is_active"] = True
        if operation.path.endswith("}/members/batch"):
            choose_common_change(body)
        if operation.path == "/users/me/delegations":
            limit_delegation(body)
        if operation.path == "/permissions/actions":
            make_unique(body)
        if operation.path.startswith("/admin/service-apps"):
            choose_api_resources(body)
        if operation.path.startswith("/admin/client-apps"):
            register_valid_uris(body)
        if isinstance(body.get("credential"), dict):
            body["credential"] = valid_credential
        if operation.path.startswith("/admin/import/csv"):
            if isinstance(body.get("csv"), str) and body["csv"]:
                body["csv"] = "email,workspace_slug\n"
            # The part of a form that is the file.
            if "file" in body:
                body["file"] = "email,workspace_slug\n"
    return body


def storable(value):
    """JSON objects must not contain U+0000, also not as the escape in a parameter."""
    if isinstance(value, str):
        return value.replace("\x00", "").replace("\\u0000", "")
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable(member) for name, member in value.items()}
    return value


def name_resource(resource):
    """The `resource_id` must be the UUID of `external_id`."""
    if not isinstance(resource, dict):
        return
    names = [resource.get(name) for name in ("service_name", "resource_type", "external_id", "resource_id")]
    if all(isinstance(name, str) for name in names):
        resource["resource_id"] = str(uuid.uuid5(resource_namespace, "/".join(names[:3])))
    # Parents must exist.
    if isinstance(resource.get("parent"), dict):
        resource["parent"] = None


def name_grantee(share):
    """An ID has a type, and a name only its own."""
    if not isinstance(share, dict):
        return
    if share.get("grantee_id"):
        share.setdefault("grantee_type", "user")
    else:
        share.pop("grantee_type", None)


def choose_permission(share):
    """A share has either a permission or a role, which must be declared."""
    role = share.get("role")
    if isinstance(role, str) and re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,200}", role):
        del share["role"]
    share.setdefault("permission", "view")


def choose_end(change):
    """A change sets the end of a membership, or removes it."""
    if change.get("never_expires") is True and change.get("expires_at") is not None:
        del change["never_expires"]


def choose_change(member):
    """A change of a member sets the role, the end or who is a guest, or removes the end."""
    choose_end(member)
    # Only `false` with a role that a guest cannot have.
    member["guest"] = member.get("guest") is True
    if member.get("expires_at") is None and not member.get("never_expires"):
        member.setdefault("role", "viewer")


def choose_common_change(members):
    """Members get a role or are removed."""
    if members.get("role") is not None:
        members.pop("remove", None)
    elif members.get("remove") is None:
        members["remove"] = True


def postpone(change):
    """Everything that expires must do so in the future."""
    try:
        expires_at = datetime.fromisoformat(change["expires_at"])
    except (KeyError, TypeError, ValueError):
        return
    if expires_at.tzinfo:
        change["expires_at"] = datetime.now(timezone.utc).replace(year=datetime.now().year + 1).isoformat()


def limit_delegation(delegation):
    """A delegation ends within 90 days, its lists have no duplicates, and resources must exist."""
    if isinstance(delegation.get("expires_at"), str):
        delegation["expires_at"] = (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat()
    for name in ("actions", "resource_types"):
        if isinstance(delegation.get(name), list):
            delegation[name] = list(dict.fromkeys(map(str, delegation[name])))
    if delegation.get("resources"):
        delegation["resources"] = None
        delegation["actions"] = delegation.get("actions") or ["view"]


def make_unique(registration):
    """The names of actions must be unique."""
    actions = registration.get("actions")
    if isinstance(actions, list) and all(isinstance(action, dict) for action in actions):
        names = {str(action.get("name")): action for action in actions}
        registration["actions"] = list(names.values())


def choose_api_resources(app):
    """Each API has a valid URI of its own, and each of its scopes a name of its own."""
    resources = app.get("api_resources")
    if not isinstance(resources, list) or not all(isinstance(resource, dict) for resource in resources):
        return
    for resource in resources:
        if isinstance(resource.get("uri"), str) and "://" in resource["uri"]:
            resource["uri"] = f"https://{uuid.uuid4()}.example.com"
        scopes = resource.get("scopes")
        if isinstance(scopes, list) and all(isinstance(scope, dict) for scope in scopes):
            resource["scopes"] = list({str(scope.get("name")): scope for scope in scopes}.values())


def register_valid_uris(app):
    """Redirect URIs must be valid URLs, and a new app needs one."""
    if app.get("redirect_uris") is None and "name" in app:
        app["redirect_uris"] = ["https://app.example.com/callback"]
    for field in ("redirect_uris", "post_logout_redirect_uris"):
        uris = app.get(field)
        if isinstance(uris, list) and all(isinstance(uri, str) and "://" in uri for uri in uris):
            app[field] = ["https://app.example.com/callback" for _ in uris]
    # Only confidential apps may omit PKCE.
    if app.get("pkce_required") is False:
        app["pkce_required"] = True
    if isinstance(app.get("backchannel_logout_uri"), str):
        app["backchannel_logout_uri"] = "https://app.example.com/logout"


def choose_new_owner(query):
    """The new owner must be a member of all workspaces concerned, which random users are not."""
    try:
        uuid.UUID(str(query.get("transfer_to")))
    except ValueError:
        return
    del query["transfer_to"]


def choose_clients(query):
    """Grants end either of a client or of a host. What is invalid is sent, also beside the other one."""
    if "client_id" not in query and "host" not in query:
        return {**query, "host": "app.example.com"}
    host = query.get("host")
    if "client_id" in query and isinstance(host, str) and re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,200}", host):
        return {name: value for name, value in query.items() if name != "host"}
    return query
