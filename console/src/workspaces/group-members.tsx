import { Button, Group as Row, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { notifyFailure } from '../ui/notify.ts'
import { PersonCell } from '../ui/person.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import {
  childGroupsQuery,
  type Group,
  groupMembersQuery,
  refreshWorkspaces,
} from './workspace-queries.ts'

/** The members of a group and its child groups, whose members are members of it, too. */
export function GroupMembers({ group, groups }: { group: Group; groups: Group[] }) {
  const members = useQuery(groupMembersQuery(group.id))
  const children = useQuery(childGroupsQuery(group.id))
  const confirm = useConfirm()
  const nameOf = (id: string) => groups.find((other) => other.id === id)?.name ?? 'a child group'

  async function removeMember(userId: string) {
    const params = { path: { group_id: group.id, user_id: userId } }
    await unwrap(api.DELETE('/admin/groups/{group_id}/members/{user_id}', { params }))
    await refreshWorkspaces()
  }

  async function removeChild(childId: string) {
    const params = { path: { group_id: group.id, child_id: childId } }
    await unwrap(api.DELETE('/admin/groups/{group_id}/groups/{child_id}', { params }))
    await refreshWorkspaces()
  }

  return (
    <>
      <h3 className={classes.title}>Members</h3>
      <QueryState query={members}>
        {(list) => (
          <ul className={classes.list}>
            {list.length === 0 && <li className="dimmed">No members yet</li>}
            {list.map(({ user_id, name, email, via }) => (
              <li key={user_id}>
                <PersonCell id={user_id} name={name} email={email} />
                {via.length > 0 ? (
                  <span className="dimmed">through {via.map(nameOf).join(' › ')}</span>
                ) : (
                  <RemoveButton
                    label={`Remove ${name || email} from ${group.name}`}
                    onClick={() =>
                      confirm({
                        title: `Remove ${name || email} from ${group.name}?`,
                        children:
                          'They lose what is shared with the group, unless it is granted otherwise.',
                        action: 'Remove',
                        run: () => removeMember(user_id),
                      })
                    }
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <AddMember group={group} />
      <h3 className={classes.title}>Child groups</h3>
      <QueryState query={children}>
        {(list) => (
          <ul className={classes.list}>
            {list.length === 0 && <li className="dimmed">No child groups</li>}
            {list.map((child) => (
              <li key={child.id}>
                {child.name}
                <RemoveButton
                  label={`Remove ${child.name} from ${group.name}`}
                  onClick={() =>
                    confirm({
                      title: `Remove ${child.name} from ${group.name}?`,
                      children: `Members of ${child.name} are then no longer members of ${group.name}.`,
                      action: 'Remove',
                      run: () => removeChild(child.id),
                    })
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <AddChild group={group} groups={groups} />
    </>
  )
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button size="compact-sm" variant="subtle" color="red" aria-label={label} onClick={onClick}>
      Remove
    </Button>
  )
}

function AddMember({ group }: { group: Group }) {
  const [userId, setUserId] = useState<string | null>(null)
  async function add() {
    if (!userId) return
    const params = { path: { group_id: group.id, user_id: userId } }
    try {
      await unwrap(api.POST('/admin/groups/{group_id}/members/{user_id}', { params, body: {} }))
      setUserId(null)
      await refreshWorkspaces()
    } catch (error) {
      notifyFailure(error)
    }
  }
  return (
    <Row align="flex-end" gap="xs" mb="md">
      <MemberPicker
        label="Add a member"
        workspaceId={group.workspace_id}
        value={userId}
        onChange={setUserId}
      />
      <Button variant="default" disabled={!userId} onClick={add}>
        Add
      </Button>
    </Row>
  )
}

function AddChild({ group, groups }: { group: Group; groups: Group[] }) {
  const [childId, setChildId] = useState<string | null>(null)
  async function add() {
    if (!childId) return
    const params = { path: { group_id: group.id, child_id: childId } }
    try {
      await unwrap(api.POST('/admin/groups/{group_id}/groups/{child_id}', { params, body: {} }))
      setChildId(null)
      await refreshWorkspaces()
    } catch (error) {
      notifyFailure(error)
    }
  }
  const others = groups.filter(({ id }) => id !== group.id)
  if (others.length === 0) return null
  return (
    <Row align="flex-end" gap="xs">
      <Select
        label="Add a child group"
        data={others.map(({ id, name }) => ({ value: id, label: name }))}
        value={childId}
        onChange={setChildId}
        searchable
      />
      <Button variant="default" disabled={!childId} onClick={add}>
        Add
      </Button>
    </Row>
  )
}
