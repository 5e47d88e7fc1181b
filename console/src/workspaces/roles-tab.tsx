import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { Pager } from '../ui/data-table.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Section } from '../ui/page.tsx'
import { usePreference } from '../ui/preferences.ts'
import { SearchInput } from '../ui/search-input.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { NameForm } from './name-form.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { RoleMembers } from './role-members.tsx'
import { type Role, refreshWorkspaces, rolesQuery } from './workspace-queries.ts'
import { useWorkspaceSearch } from './workspace-search.ts'

/**
 * Shows the custom roles of a workspace, a page at a time, with their actions and members.
 */
export function Roles({ workspaceId }: { workspaceId: string }) {
  const { search: all, navigate } = useWorkspaceSearch()
  const { role: _, group: _group, ...search } = all
  const { q, page = 1 } = search
  // Roles are the columns of a table, so fewer of them fit than rows of other lists.
  const [pageSize, setPageSize] = usePreference('page-size.roles', 10)
  const roles = useQuery({
    ...rolesQuery(workspaceId, { q, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const [edited, setEdited] = useState<Role | 'new'>()
  const { items = [], total = 0 } = roles.data ?? {}
  const createButton = (
    <Button size="xs" onClick={() => setEdited('new')}>
      New role
    </Button>
  )
  return (
    <>
      <Section
        title="Custom roles"
        count={roles.data?.total}
        description="Each grants actions of services on every resource that its members can view."
        actions={
          <>
            <CsvButton
              name="roles"
              columns={['id', 'name', 'description', 'member_count', 'group_count', 'created_at']}
              rows={() =>
                loadPages((paging) => fetchNow(rolesQuery(workspaceId, { q, ...paging })))
              }
              isSmall
            />
            {createButton}
          </>
        }
      >
        {(q || page > 1 || total > 10) && (
          <SearchInput
            label="Search roles"
            value={q}
            onChange={(q) => navigate({ search: { ...search, q, page: undefined }, replace: true })}
          />
        )}
        <QueryState query={roles}>
          {({ items }) =>
            items.length > 0 ? (
              <RoleMatrix roles={items} onEdit={setEdited} />
            ) : q || page > 1 ? (
              <EmptyState icon="search" title="No role matches" />
            ) : (
              <EmptyState icon="key" title="No custom roles yet" action={createButton}>
                Owners and admins may perform every action. Others need a custom role for actions
                other than view and edit.
              </EmptyState>
            )
          }
        </QueryState>
        {(page > 1 || total > 10) && (
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
        )}
      </Section>
      {items.length > 0 && (
        <Section title="Who has the roles">
          <div className={classes.groups}>
            {items.map((role) => (
              <RoleMembers key={role.id} role={role} />
            ))}
          </div>
        </Section>
      )}
      <NameForm
        noun="role"
        edited={edited}
        onClose={() => setEdited(undefined)}
        send={async (body) => {
          await saveRole(workspaceId, edited, body)
          await refreshWorkspaces()
        }}
      />
    </>
  )
}

function saveRole(
  workspaceId: string,
  edited: Role | 'new' | undefined,
  body: { name: string; description: string },
): Promise<unknown> {
  if (typeof edited === 'object') {
    const params = { path: { role_id: edited.id } }
    return unwrap(api.PATCH('/admin/roles/{role_id}', { params, body }))
  }
  const params = { path: { workspace_id: workspaceId } }
  return unwrap(api.POST('/admin/workspaces/{workspace_id}/roles', { params, body }))
}
