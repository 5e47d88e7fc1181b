from __future__ import annotations

import pytest
from daikon import Grantee, InvalidArgumentError, Resource, Subject
from daikon.testing import FakeDaikon


def test_operations_accept_the_ids_of_the_world() -> None:
    fake = FakeDaikon(
        members=[
            {"workspace_id": "acme", "user_id": "alice", "role": "editor"},
            {"workspace_id": "acme", "user_id": "bob", "role": "viewer"},
        ],
        groups=[{"id": "staff", "workspace_id": "acme", "members": ["bob"]}],
    )
    roadmap = Resource("document", "roadmap")
    fake.register(roadmap, workspace_id="acme", owner_id="alice")
    token = fake.token("alice", "acme")
    fake.share(roadmap, Grantee(user_id="bob"), "view", as_=token)
    fake.share(roadmap, Grantee(group_id="staff"), "view", as_=token)
    assert fake.transfer(roadmap, "bob", as_=token).owner_id == "bob"
    assert list(fake.accessible(Subject(user_id="bob"), "view", "document", workspace_id="acme")) == ["roadmap"]
    for workspace_id, owner_id in [("other", "alice"), ("acme", "carol")]:
        with pytest.raises(InvalidArgumentError, match="must be a UUID"):
            fake.register(roadmap, workspace_id=workspace_id, owner_id=owner_id)
