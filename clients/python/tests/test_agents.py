"""Tokens and subjects of agents that act for users."""

import pytest
from daikon import InvalidArgumentError, InvalidTokenError, Subject
from daikon._arguments import name_subject
from daikon._operations import _read_reason
from daikon._tokens import DecodedToken, require_accepted

api = "https://docs.example.com"
ordinary = DecodedToken({"typ": "at+jwt"}, {"type": "access", "aud": "daikon"})
limited = DecodedToken({"typ": "at+jwt"}, {"type": "resource_access", "aud": api})
delegated = DecodedToken({"typ": "dt+jwt"}, {"type": "delegated", "aud": "daikon:delegated"})
delegated_limited = DecodedToken({"typ": "dt+jwt"}, {"type": "delegated", "aud": api})


@pytest.mark.parametrize(
    ("token", "audience", "allows_agents", "is_accepted"),
    [
        (ordinary, None, False, True),
        (ordinary, None, True, True),
        (ordinary, api, True, False),
        (limited, api, False, True),
        (limited, None, True, False),
        (delegated, None, False, False),
        (delegated, None, True, True),
        (delegated, api, True, False),
        (delegated, "daikon:delegated", True, False),
        (delegated_limited, api, False, False),
        (delegated_limited, api, True, True),
        (delegated_limited, None, True, False),
        (delegated_limited, "https://other.example.com", True, False),
        (DecodedToken({"typ": "at+jwt"}, delegated.claims), None, True, False),
        (DecodedToken({"typ": "dt+jwt"}, ordinary.claims), None, True, False),
        (DecodedToken({"typ": "refresh+jwt"}, ordinary.claims), None, True, False),
    ],
)
def test_tokens_of_agents_are_accepted_only_where_they_are_allowed(
    token: DecodedToken, audience: "str | None", allows_agents: bool, is_accepted: bool
) -> None:
    if is_accepted:
        require_accepted(token, audience, allows_agents)
    else:
        with pytest.raises(InvalidTokenError):
            require_accepted(token, audience, allows_agents)


def test_a_delegation_is_a_subject() -> None:
    assert name_subject(Subject(delegation="d1")) == ("delegation", "d1")
    with pytest.raises(InvalidArgumentError):
        name_subject(Subject(delegation="d1", user_id="alice"))


def test_reasons_name_the_agent_and_what_is_not_covered() -> None:
    agent = {"type": "client", "id": "a", "name": "report-bot"}
    rule = "delegation_does_not_cover"
    reason = _read_reason({"rule": rule, "delegation_id": "d1", "agent": agent, "uncovered": "action"})
    assert reason.agent is not None
    assert (reason.delegation_id, reason.agent.name, reason.uncovered) == ("d1", "report-bot", "action")
