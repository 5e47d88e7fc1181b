import { ActionIcon, Checkbox, Menu } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { EmptyState, QueryState } from '../ui/states.tsx'
import classes from './role-matrix.module.css'
import {
  type Role,
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
                      <RoleHeading role={role} onEdit={() => onEdit(role)} />
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
                          <Checkbox
                            aria-label={`${role.name} may ${action.name} in ${service_name}`}
                            checked={
                              granted[index]?.data?.some(({ id }) => id === action.id) ?? false
                            }
                            disabled={!granted[index]?.data}
                            onChange={(event) =>
                              setGranted(
                                role,
                                { ...action, service_name },
                                event.currentTarget.checked,
                              )
                            }
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

async function setGranted(role: Role, action: RoleAction, isGranted: boolean): Promise<void> {
  const { queryKey } = roleActionsQuery(role.id)
  const before = queryClient.getQueryData(queryKey) ?? []
  const others = before.filter(({ id }) => id !== action.id)
  queryClient.setQueryData(queryKey, isGranted ? [...others, action] : others)
  const path = { role_id: role.id }
  try {
    if (isGranted) {
      const body = { service_action_ids: [action.id] }
      await unwrap(api.POST('/admin/roles/{role_id}/actions', { params: { path }, body }))
    } else {
      const params = { path: { ...path, service_action_id: action.id } }
      await unwrap(api.DELETE('/admin/roles/{role_id}/actions/{service_action_id}', { params }))
    }
  } catch (error) {
    queryClient.setQueryData(queryKey, before)
    notifyFailure(error)
  }
  await queryClient.invalidateQueries({ queryKey })
}

function RoleHeading({ role, onEdit }: { role: Role; onEdit: () => void }) {
  const confirm = useConfirm()
  async function remove() {
    const params = { path: { role_id: role.id } }
    await unwrap(api.DELETE('/admin/roles/{role_id}', { params }))
    await refreshWorkspaces()
    notifyDone(`The role ${role.name} was deleted.`)
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
            color="red"
            onClick={() =>
              confirm({
                title: `Delete the role ${role.name}?`,
                children: 'Its members lose the actions that it grants.',
                action: 'Delete role',
                run: remove,
              })
            }
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  )
}
