import { Accordion, Button, Group as Row } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { Pager } from '../ui/data-table.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { usePreference } from '../ui/preferences.ts'
import { SearchInput } from '../ui/search-input.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { GroupMembers } from './group-members.tsx'
import { NameForm } from './name-form.tsx'
import { type Group, groupsQuery, readGroup, refreshWorkspaces } from './workspace-queries.ts'
import { useWorkspaceSearch } from './workspace-search.ts'

/**
 * Shows the groups of a workspace with their members and child groups. The address contains the
 * open group.
 */
export function Groups({ workspaceId }: { workspaceId: string }) {
  const { search: all, navigate } = useWorkspaceSearch()
  const { tab, q, page = 1, group: openId } = all
  const search = { tab, q, page: all.page, group: openId }
  const [pageSize, setPageSize] = usePreference('page-size.groups', 20)
  const groups = useQuery({
    ...groupsQuery(workspaceId, { q, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const [edited, setEdited] = useState<Group | 'new'>()
  const createButton = (
    <Button size="xs" onClick={() => setEdited('new')}>
      New group
    </Button>
  )
  return (
    <Section
      title="Groups"
      count={groups.data?.total}
      description="Sharing a resource with a group shares it with all of its members."
      actions={
        <>
          <CsvButton
            name="groups"
            columns={['id', 'name', 'description', 'created_at']}
            rows={() => loadPages((paging) => fetchNow(groupsQuery(workspaceId, { q, ...paging })))}
            isSmall
          />
          {createButton}
        </>
      }
    >
      <SearchInput
        label="Search groups"
        value={q}
        onChange={(q) =>
          navigate({ search: { ...search, q, page: undefined, group: undefined }, replace: true })
        }
      />
      <QueryState query={groups}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState
              icon={q || page > 1 ? 'search' : 'users'}
              title={q || page > 1 ? 'No group matches' : 'No groups yet'}
              action={!q && createButton}
            />
          ) : (
            <>
              <Accordion
                variant="contained"
                chevronPosition="left"
                mt="md"
                value={openId ?? null}
                onChange={(id) =>
                  navigate({ search: { ...search, group: id ?? undefined }, replace: true })
                }
              >
                {items.map((group) => (
                  <GroupItem
                    key={group.id}
                    group={group}
                    isOpen={group.id === openId}
                    onEdit={() => readGroup(group.id).then(setEdited, notifyFailure)}
                  />
                ))}
              </Accordion>
              <Pager
                page={page}
                total={total}
                pageSize={pageSize}
                rowCount={items.length}
                onPage={(page) =>
                  navigate({ search: { ...search, page: page > 1 ? page : undefined } })
                }
                onPageSize={(size) => {
                  setPageSize(size)
                  void navigate({ search: { ...search, page: undefined }, replace: true })
                }}
              />
            </>
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
  isOpen,
  onEdit,
}: {
  group: Group
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

  function confirmRemoval({ name }: Group) {
    confirm({
      title: `Delete the group ${name}?`,
      children: 'Its members lose access to everything that is shared with the group.',
      action: 'Delete group',
      run: remove,
    })
  }

  return (
    <Accordion.Item value={group.id}>
      <Accordion.Control>
        <b>
          <bdi>{group.name}</bdi>
        </b>
        {group.description && <span className="dimmed"> · {group.description}</span>}
      </Accordion.Control>
      <Accordion.Panel>
        <Row gap="xs" mb="md">
          <Button
            size="xs"
            variant="default"
            aria-label={`Edit the group ${group.name}`}
            onClick={onEdit}
          >
            Edit
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`Delete the group ${group.name}`}
            onClick={() => readGroup(group.id).then(confirmRemoval, notifyFailure)}
          >
            Delete
          </Button>
        </Row>
        {isOpen && <GroupMembers group={group} />}
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
