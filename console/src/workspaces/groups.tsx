import { Accordion, Button, Group as Row } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { GroupMembers } from './group-members.tsx'
import { NameForm } from './name-form.tsx'
import { type Group, groupsQuery, refreshWorkspaces } from './workspace-queries.ts'

/**
 * Shows the groups of a workspace with their members and child groups. The address contains the
 * open group.
 */
export function Groups({ workspaceId }: { workspaceId: string }) {
  const { tab, group: openId } = useSearch({ from: '/shell/workspaces/$workspaceId' })
  const navigate = useNavigate({ from: '/workspaces/$workspaceId' })
  const groups = useQuery(groupsQuery(workspaceId))
  const [edited, setEdited] = useState<Group | 'new'>()
  const createButton = (
    <Button size="xs" onClick={() => setEdited('new')}>
      New group
    </Button>
  )
  return (
    <Section
      title="Groups"
      count={groups.data?.length}
      description="Resources are shared with all members of a group at once."
      actions={createButton}
    >
      <QueryState query={groups}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="users" title="No groups yet" action={createButton} />
          ) : (
            <Accordion
              variant="contained"
              chevronPosition="left"
              value={openId ?? null}
              onChange={(id) =>
                navigate({ search: { tab, group: id ?? undefined }, replace: true })
              }
            >
              {list.map((group) => (
                <GroupItem
                  key={group.id}
                  group={group}
                  groups={list}
                  isOpen={group.id === openId}
                  onEdit={() => setEdited(group)}
                />
              ))}
            </Accordion>
          )
        }
      </QueryState>
      <NameForm
        noun="group"
        edited={edited}
        onClose={() => setEdited(undefined)}
        send={async (body) => {
          await saveGroup(workspaceId, edited, body)
          await refreshWorkspaces()
        }}
      />
    </Section>
  )
}

function GroupItem({
  group,
  groups,
  isOpen,
  onEdit,
}: {
  group: Group
  groups: Group[]
  isOpen: boolean
  onEdit: () => void
}) {
  const confirm = useConfirm()
  async function remove() {
    const params = { path: { group_id: group.id } }
    await unwrap(api.DELETE('/admin/groups/{group_id}', { params }))
    await refreshWorkspaces()
    notifyDone(`The group ${group.name} was deleted.`)
  }
  return (
    <Accordion.Item value={group.id}>
      <Accordion.Control>
        <b>{group.name}</b>
        {group.description && <span className="dimmed"> · {group.description}</span>}
      </Accordion.Control>
      <Accordion.Panel>
        <Row gap="xs" mb="md">
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            onClick={() =>
              confirm({
                title: `Delete the group ${group.name}?`,
                children: 'Its members lose access to everything that is shared with the group.',
                action: 'Delete group',
                run: remove,
              })
            }
          >
            Delete
          </Button>
        </Row>
        {isOpen && <GroupMembers group={group} groups={groups} />}
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function saveGroup(
  workspaceId: string,
  edited: Group | 'new' | undefined,
  body: { name: string; description: string },
): Promise<unknown> {
  if (typeof edited === 'object') {
    const params = { path: { group_id: edited.id } }
    return unwrap(api.PATCH('/admin/groups/{group_id}', { params, body }))
  }
  const params = { path: { workspace_id: workspaceId } }
  return unwrap(api.POST('/admin/workspaces/{workspace_id}/groups', { params, body }))
}
