import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { AddRow } from '../ui/add-row.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { GroupPicker, MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { MemberList } from './member-list.tsx'
import {
  type ListFilters,
  type Role,
  refreshWorkspaces,
  roleGroupsQuery,
  roleMembersQuery,
} from './workspace-queries.ts'

/** Shows the members who have a custom role. */
export function RoleMembers({ role }: { role: Role }) {
  const useMemberPage = (filters: ListFilters) =>
    useQuery({ ...roleMembersQuery(role.id, filters), placeholderData: keepPreviousData })

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
      <MemberList
        title={role.name}
        listLabel={`members who have ${role.name}`}
        usePage={useMemberPage}
        empty="No members have this role"
        download={
          <CsvButton
            name={`members-with-${role.name}`}
            columns={['user_id', 'email', 'name']}
            rows={() => loadPages((paging) => fetchNow(roleMembersQuery(role.id, paging)))}
            isSmall
          />
        }
      >
        {({ user_id, name, email }) => (
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
        )}
      </MemberList>
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
      <RoleGroups role={role} />
    </div>
  )
}

/** Shows the groups that have a custom role, and so their members. */
function RoleGroups({ role }: { role: Role }) {
  const groups = useQuery(roleGroupsQuery(role.id))

  async function add(groupId: string) {
    const params = { path: { role_id: role.id, group_id: groupId } }
    await unwrap(api.POST('/admin/roles/{role_id}/groups/{group_id}', { params }))
    await refreshWorkspaces()
  }

  async function remove(groupId: string) {
    const params = { path: { role_id: role.id, group_id: groupId } }
    await unwrap(api.DELETE('/admin/roles/{role_id}/groups/{group_id}', { params }))
    await refreshWorkspaces()
  }

  return (
    <>
      <QueryState query={groups}>
        {(list) => (
          <ul className={classes.list} aria-label={`Groups that have ${role.name}`}>
            {list.length === 0 && <li className="dimmed">No groups have this role</li>}
            {list.map(({ id, name }) => (
              <li key={id}>
                {name}
                <RowAction
                  label="Remove"
                  name={`Remove the group ${name} from ${role.name}`}
                  confirmation={{
                    title: `Remove the group ${name} from ${role.name}?`,
                    children: 'Its members lose the actions that this role grants.',
                    action: 'Remove',
                    run: () => remove(id),
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <AddRow onAdd={add}>
        {(picker) => (
          <GroupPicker
            label={`Give ${role.name} to a group`}
            isFilter
            workspaceId={role.workspace_id}
            {...picker}
          />
        )}
      </AddRow>
    </>
  )
}
