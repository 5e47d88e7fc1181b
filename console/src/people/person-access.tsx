import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ActionSelect } from '../resources/action-select.tsx'
import { ContextInput } from '../resources/context-input.tsx'
import { Explanation } from '../resources/explanation.tsx'
import { ResourcePicker } from '../resources/resource-picker.tsx'
import { resourceQuery } from '../resources/resource-queries.ts'
import { Section } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import type { Person } from './people-queries.ts'

/**
 * Explains whether the person may perform an action on a resource, and why. The resource, the
 * action and the context are part of the address.
 */
export function PersonAccess({ person }: { person: Person }) {
  const {
    permission_id: permissionId,
    action = 'view',
    context,
    tab,
  } = useSearch({ from: '/shell/people/$userId' })
  const navigate = useNavigate({ from: '/people/$userId' })
  const resource = useQuery({
    ...resourceQuery(permissionId ?? ''),
    enabled: permissionId !== undefined,
  })
  function updateSearch(changes: {
    permission_id?: string | undefined
    action?: string
    context?: string | undefined
  }) {
    const search = { tab, permission_id: permissionId, action, context, ...changes }
    void navigate({ search, replace: true })
  }
  return (
    <Section title="Why?" description="Choose a resource to see why they have access, or why not.">
      <Group align="flex-end" gap="sm">
        <div style={{ flex: '1 1 16rem', maxWidth: '26rem' }}>
          <ResourcePicker
            label="Resource"
            value={permissionId ?? null}
            // Another service may not have the action.
            onChange={(id) => updateSearch({ permission_id: id ?? undefined, action: 'view' })}
          />
        </div>
        <ActionSelect
          service={resource.data?.service_name ?? ''}
          value={action}
          onChange={(action) => updateSearch({ action })}
        />
      </Group>
      <ContextInput value={context} onChange={(context) => updateSearch({ context })} />
      {permissionId && (
        <QueryState query={resource} skeleton={null}>
          {(data) =>
            data.id === permissionId && (
              <Explanation resource={data} userId={person.id} action={action} context={context} />
            )
          }
        </QueryState>
      )}
    </Section>
  )
}
