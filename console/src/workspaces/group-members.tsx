import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { AddRow } from '../ui/add-row.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Name } from '../ui/name.tsx'
import { GroupPicker, MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { MemberList } from './member-list.tsx'
import {
  childGroupsQuery,
  type Group,
  groupMembersQuery,
  type ListFilters,
  refreshWorkspaces,
} from './workspace-queries.ts'

/**
 * Shows the members of a group and its child groups, whose members are also members of the group.
 */
export function GroupMembers({ group }: { group: Group }) {
  const useMemberPage = (filters: ListFilters) =>
    useQuery({ ...groupMembersQuery(group.id, filters), placeholderData: keepPreviousData })
  const children = useQuery(childGroupsQuery(group.id))

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
      <MemberList
        title="Members"
        listLabel={`members of ${group.name}`}
        usePage={useMemberPage}
        empty="No members yet"
        download={
          <CsvButton
            name={`members-of-${group.name}`}
            columns={['user_id', 'email', 'name', ['via', ({ via }) => via.join(' ')]]}
            rows={() => loadPages((paging) => fetchNow(groupMembersQuery(group.id, paging)))}
            isSmall
          />
        }
      >
        {({ user_id, name, email, via }) =>
          via.length > 0 ? (
            <span className="dimmed">
              through{' '}
              {via.map((id, index) => (
                <Fragment key={id}>
                  {index > 0 && ' › '}
                  <Name id={id} />
                </Fragment>
              ))}
            </span>
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
          )
        }
      </MemberList>
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
      <AddRow onAdd={addChild}>
        {(picker) => (
          <GroupPicker
            label="Add a child group"
            isFilter
            workspaceId={group.workspace_id}
            exceptId={group.id}
            {...picker}
          />
        )}
      </AddRow>
    </>
  )
}
