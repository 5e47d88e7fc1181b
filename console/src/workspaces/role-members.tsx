import { Button, Group as Row } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { notifyFailure } from '../ui/notify.ts'
import { PersonCell } from '../ui/person.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { type Role, refreshWorkspaces, roleMembersQuery } from './workspace-queries.ts'

/** The members who have a custom role. */
export function RoleMembers({ role }: { role: Role }) {
  const members = useQuery(roleMembersQuery(role.id))
  const [userId, setUserId] = useState<string | null>(null)
  const confirm = useConfirm()

  async function add() {
    if (!userId) return
    const params = { path: { role_id: role.id, user_id: userId } }
    try {
      await unwrap(api.POST('/admin/roles/{role_id}/members/{user_id}', { params }))
      setUserId(null)
      await refreshWorkspaces()
    } catch (error) {
      notifyFailure(error)
    }
  }

  async function remove(id: string) {
    const params = { path: { role_id: role.id, user_id: id } }
    await unwrap(api.DELETE('/admin/roles/{role_id}/members/{user_id}', { params }))
    await refreshWorkspaces()
  }

  return (
    <div>
      <h3 className={classes.title}>{role.name}</h3>
      <QueryState query={members}>
        {(list) => (
          <ul className={classes.list}>
            {list.length === 0 && <li className="dimmed">No members have this role</li>}
            {list.map(({ user_id, name, email }) => (
              <li key={user_id}>
                <PersonCell id={user_id} name={name} email={email} />
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`Remove ${name || email} from ${role.name}`}
                  onClick={() =>
                    confirm({
                      title: `Remove ${name || email} from ${role.name}?`,
                      children: 'They lose the actions that this role grants.',
                      action: 'Remove',
                      run: () => remove(user_id),
                    })
                  }
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <Row align="flex-end" gap="xs" mb="lg">
        <MemberPicker
          label={`Give ${role.name} to`}
          workspaceId={role.workspace_id}
          value={userId}
          onChange={setUserId}
        />
        <Button variant="default" disabled={!userId} onClick={add}>
          Add
        </Button>
      </Row>
    </div>
  )
}
