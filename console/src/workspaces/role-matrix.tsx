import { ActionIcon, Checkbox, Menu } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { startTransition, useOptimistic } from 'react'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { EmptyState, QueryState } from '../ui/states.tsx'
import classes from './role-matrix.module.css'
import {
  type Role,
  readRole,
  refreshWorkspaces,
  roleActionsQuery,
  serviceActionsQuery,
} from './workspace-queries.ts'

type RoleAction = Schemas['RoleActionResponse']

/**
 * Shows the actions of all services by role. A click grants or revokes an action; the change is
 * undone if the request fails.
 */
export function RoleMatrix({ roles, onEdit }: { roles: Role[]; onEdit: (role: Role) => void }) {
  const services = useQuery(serviceActionsQuery)
  const granted = useQueries({ queries: roles.map(({ id }) => roleActionsQuery(id)) })

  return (
    <QueryState query={services}>
      {(list) => {
        const withActions = list.filter(({ actions }) => actions.length > 0)
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: allows scrolling with the keyboard
          <section className={classes.scroll} tabIndex={0} aria-label="Actions by role">
            <table className={classes.matrix} aria-label="Actions by role">
              <thead>
                <tr>
                  <th scope="col">Action</th>
                  {roles.map((role) => (
                    <th key={role.id} scope="col">
                      <RoleHeading
                        role={role}
                        onEdit={() => readRole(role.id).then(onEdit, notifyFailure)}
                      />
                    </th>
                  ))}
                </tr>
              </thead>
              {withActions.map(({ service_name, actions }) => (
                <tbody key={service_name}>
                  <tr>
                    <th scope="rowgroup" colSpan={roles.length + 1} className={classes.service}>
                      {service_name}
                    </th>
                  </tr>
                  {actions.map((action) => (
                    <tr key={action.id}>
                      <th scope="row">
                        <span className={classes.action}>{action.name}</span>
                        {action.description && <small>{action.description}</small>}
                      </th>
                      {roles.map((role, index) => (
                        <td key={role.id}>
                          <GrantCheckbox
                            label={`${role.name} may ${action.name} in ${service_name}`}
                            granted={granted[index]?.data}
                            actionId={action.id}
                            roleId={role.id}
                          />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              ))}
            </table>
            {withActions.length === 0 && (
              <EmptyState icon="key" title="No service has registered actions">
                Services register them at PUT /permissions/actions. View, edit and manage need no
                registration.
              </EmptyState>
            )}
          </section>
        )
      }}
    </QueryState>
  )
}

interface GrantCheckboxProps {
  label: string
  /** The actions of the role, unless they are still loading. */
  granted: RoleAction[] | undefined
  actionId: string
  roleId: string
}

function GrantCheckbox({ label, granted, actionId, roleId }: GrantCheckboxProps) {
  const saved = granted?.some(({ id }) => id === actionId) ?? false
  const [isGranted, setGranted] = useOptimistic(saved)
  function change(next: boolean) {
    startTransition(async () => {
      setGranted(next)
      await saveGrant(roleId, actionId, next).catch(notifyFailure)
      await queryClient.invalidateQueries({ queryKey: roleActionsQuery(roleId).queryKey })
    })
  }
  return (
    <Checkbox
      aria-label={label}
      checked={isGranted}
      disabled={!granted}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  )
}

function saveGrant(roleId: string, actionId: string, isGranted: boolean): Promise<unknown> {
  if (isGranted) {
    const params = { path: { role_id: roleId } }
    const body = { service_action_ids: [actionId] }
    return unwrap(api.POST('/admin/roles/{role_id}/actions', { params, body }))
  }
  const params = { path: { role_id: roleId, service_action_id: actionId } }
  return unwrap(api.DELETE('/admin/roles/{role_id}/actions/{service_action_id}', { params }))
}

function RoleHeading({ role, onEdit }: { role: Role; onEdit: () => void }) {
  const confirm = useConfirm()
  async function remove() {
    const params = { path: { role_id: role.id } }
    await unwrap(api.DELETE('/admin/roles/{role_id}', { params }))
    await refreshWorkspaces()
    notifyDone(`The role ${role.name} was deleted.`)
  }

  function confirmRemoval({ name }: Role) {
    confirm({
      title: `Delete the role ${name}?`,
      children: 'Its members lose the actions that it grants.',
      action: 'Delete role',
      run: remove,
    })
  }

  return (
    <span className={classes.heading}>
      {role.name}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Actions of ${role.name}`}
          >
            <Icon name="dots" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onEdit}>Edit</Menu.Item>
          <Menu.Item
            color="var(--mantine-color-error)"
            onClick={() => readRole(role.id).then(confirmRemoval, notifyFailure)}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
