import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import { NameForm } from './name-form.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { RoleMembers } from './role-members.tsx'
import { type Role, refreshWorkspaces, rolesQuery } from './workspace-queries.ts'

/** Shows the custom roles of a workspace, with their actions and members. */
export function Roles({ workspaceId }: { workspaceId: string }) {
  const roles = useQuery(rolesQuery(workspaceId))
  const [edited, setEdited] = useState<Role | 'new'>()
  const createButton = (
    <Button size="xs" onClick={() => setEdited('new')}>
      New role
    </Button>
  )
  return (
    <>
      <Section
        title="Custom roles"
        count={roles.data?.length}
        description="Each grants actions of services on every resource that its members can view."
        actions={createButton}
      >
        <QueryState query={roles}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="key" title="No custom roles yet" action={createButton}>
                Owners and admins may perform every action. Others need a custom role for actions
                other than view and edit.
              </EmptyState>
            ) : (
              <RoleMatrix roles={list} onEdit={setEdited} />
            )
          }
        </QueryState>
      </Section>
      {roles.data && roles.data.length > 0 && (
        <Section title="Who has the roles">
          <div className={classes.groups}>
            {roles.data.map((role) => (
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
