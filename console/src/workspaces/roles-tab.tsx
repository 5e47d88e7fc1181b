import { Button, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { RoleMembers } from './role-members.tsx'
import { type Role, refreshWorkspaces, rolesQuery } from './workspace-queries.ts'

/** The custom roles of a workspace: what they grant, and to whom. */
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
          {roles.data.map((role) => (
            <RoleMembers key={role.id} role={role} />
          ))}
        </Section>
      )}
      <RoleForm
        workspaceId={workspaceId}
        role={edited === 'new' ? undefined : edited}
        isOpen={edited !== undefined}
        onClose={() => setEdited(undefined)}
      />
    </>
  )
}

function RoleForm({
  workspaceId,
  role,
  isOpen,
  onClose,
}: {
  workspaceId: string
  role: Role | undefined
  isOpen: boolean
  onClose: () => void
}) {
  return (
    <FormModal
      title={role ? `Edit ${role.name}` : 'New role'}
      action={role ? 'Save' : 'Create'}
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ name: role?.name ?? '', description: role?.description ?? '' }}
      send={async (body) => {
        await unwrap(
          role
            ? api.PATCH('/admin/roles/{role_id}', { params: { path: { role_id: role.id } }, body })
            : api.POST('/admin/workspaces/{workspace_id}/roles', {
                params: { path: { workspace_id: workspaceId } },
                body,
              }),
        )
        await refreshWorkspaces()
      }}
    >
      {(form) => (
        <>
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" mt="md" {...form.getInputProps('description')} />
        </>
      )}
    </FormModal>
  )
}
