import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client.ts'
import { AddRow } from '../ui/add-row.tsx'
import { PersonCell } from '../ui/person.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { type Role, refreshWorkspaces, roleMembersQuery } from './workspace-queries.ts'

/** Shows the members who have a custom role. */
export function RoleMembers({ role }: { role: Role }) {
  const members = useQuery(roleMembersQuery(role.id))

  async function add(userId: string) {
    const params = { path: { role_id: role.id, user_id: userId } }
    await unwrap(api.POST('/admin/roles/{role_id}/members/{user_id}', { params }))
    await refreshWorkspaces()
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
                <RowAction
                  label="Remove"
                  name={`Remove ${name || email} from ${role.name}`}
                  confirmation={{
                    title: `Remove ${name || email} from ${role.name}?`,
                    children: 'They lose the actions that this role grants.',
                    action: 'Remove',
                    run: () => remove(user_id),
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <AddRow onAdd={add}>
        {(picker) => (
          <MemberPicker
            label={`Give ${role.name} to`}
            isFilter
            workspaceId={role.workspace_id}
            {...picker}
          />
        )}
      </AddRow>
    </div>
  )
}
