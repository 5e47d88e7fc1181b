"""Fakes of the clients for unit tests. They apply the same rules as the server.

>>> from daikon import Resource, Subject
>>> from daikon.testing import FakeDaikon
>>> fake = FakeDaikon(members=[{"workspace_id": "w", "user_id": "alice", "role": "admin"}])
>>> fake.check(Subject(user_id="alice"), "view", Resource("document", "unknown"))
False
"""

from ._conditions import (
    ConditionAgent,
    ConditionInput,
    ConditionResource,
    ConditionSubject,
    WorldCondition,
)
from ._fakes import AsyncFakeDaikon, FakeDaikon
from ._world import (
    WorldAgent,
    WorldDelegation,
    WorldGroup,
    WorldMember,
    WorldResource,
    WorldResourceType,
    WorldRole,
    WorldShare,
    WorldUser,
    WorldWorkspace,
)

__all__ = [
    "AsyncFakeDaikon",
    "ConditionAgent",
    "ConditionInput",
    "ConditionResource",
    "ConditionSubject",
    "FakeDaikon",
    "WorldCondition",
    "WorldAgent",
    "WorldDelegation",
    "WorldGroup",
    "WorldMember",
    "WorldResource",
    "WorldResourceType",
    "WorldRole",
    "WorldShare",
    "WorldUser",
    "WorldWorkspace",
]
