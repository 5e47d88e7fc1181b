import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client.ts'
import { AddRow } from '../ui/add-row.tsx'
import { PersonCell } from '../ui/person.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { Select } from '../ui/select.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import {
  childGroupsQuery,
  type Group,
  groupMembersQuery,
  refreshWorkspaces,
} from './workspace-queries.ts'

/**
 * Shows the members of a group and its child groups, whose members are also members of the group.
 */
export function GroupMembers({ group, groups }: { group: Group; groups: Group[] }) {
  const members = useQuery(groupMembersQuery(group.id))
  const children = useQuery(childGroupsQuery(group.id))
  const others = groups.filter(({ id }) => id !== group.id)
  const nameOf = (id: string) => groups.find((other) => other.id === id)?.name ?? 'a child group'

  async function addMember(userId: string) {
    const params = { path: { group_id: group.id, user_id: userId } }
    await unwrap(api.POST('/admin/groups/{group_id}/members/{user_id}', { params, body: {} }))
    await refreshWorkspaces()
  }

  async function removeMember(userId: string) {
    const params = { path: { group_id: group.id, user_id: userId } }
    await unwrap(api.DELETE('/admin/groups/{group_id}/members/{user_id}', { params }))
    await refreshWorkspaces()
  }

  async function addChild(childId: string) {
    const params = { path: { group_id: group.id, child_id: childId } }
    await unwrap(api.POST('/admin/groups/{group_id}/groups/{child_id}', { params, body: {} }))
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
                  <RowAction
                    label="Remove"
                    name={`Remove ${name || email} from ${group.name}`}
                    confirmation={{
                      title: `Remove ${name || email} from ${group.name}?`,
                      children:
                        'They lose what is shared with the group, unless it is granted otherwise.',
                      action: 'Remove',
                      run: () => removeMember(user_id),
                    }}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      <AddRow onAdd={addMember}>
        {(picker) => (
          <MemberPicker
            label="Add a member"
            isFilter
            workspaceId={group.workspace_id}
            {...picker}
          />
        )}
      </AddRow>
      <h3 className={classes.title}>Child groups</h3>
      <QueryState query={children}>
        {(list) => (
          <ul className={classes.list}>
            {list.length === 0 && <li className="dimmed">No child groups</li>}
            {list.map((child) => (
              <li key={child.id}>
                {child.name}
                <RowAction
                  label="Remove"
                  name={`Remove ${child.name} from ${group.name}`}
                  confirmation={{
                    title: `Remove ${child.name} from ${group.name}?`,
                    children: `Members of ${child.name} are then no longer members of ${group.name}.`,
                    action: 'Remove',
                    run: () => removeChild(child.id),
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryState>
      {others.length > 0 && (
        <AddRow onAdd={addChild}>
          {(picker) => (
            <Select
              label="Add a child group"
              isLabelHidden
              placeholder="Add a child group"
              options={others.map(({ id, name }) => ({ value: id, label: name }))}
              isSearchable
              {...picker}
            />
          )}
        </AddRow>
      )}
    </>
  )
}
