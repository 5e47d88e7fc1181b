import { Group } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Section } from '../ui/page.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { ActionSelect } from './action-select.tsx'
import { ContextInput } from './context-input.tsx'
import { Explanation } from './explanation.tsx'
import type { Resource } from './resource-queries.ts'
import { WhatIf } from './what-if.tsx'

/**
 * Explains whether a person may perform an action, and why. The person, the action and the context
 * are part of the address.
 */
export function Why({ resource }: { resource: Resource }) {
  const {
    user_id: userId,
    action = 'view',
    context,
    tab,
  } = useSearch({
    from: '/shell/resources/$permissionId',
  })
  const navigate = useNavigate({ from: '/resources/$permissionId' })
  function updateSearch(changes: {
    user_id?: string | undefined
    action?: string
    context?: string | undefined
  }) {
    void navigate({ search: { tab, user_id: userId, action, context, ...changes }, replace: true })
  }
  return (
    <Section title="Why?" description="Choose a person to see why they have access, or why not.">
      <Group align="flex-end" gap="sm">
        <div style={{ flex: '1 1 16rem', maxWidth: '26rem' }}>
          <PersonPicker
            label="Person"
            placeholder="Name or e-mail address"
            value={userId ?? null}
            onChange={(id) => updateSearch({ user_id: id ?? undefined })}
          />
        </div>
        <ActionSelect
          service={resource.service_name}
          value={action}
          onChange={(action) => updateSearch({ action })}
        />
      </Group>
      <ContextInput value={context} onChange={(context) => updateSearch({ context })} />
      {userId && (
        <>
          <Explanation resource={resource} userId={userId} action={action} context={context} />
          <WhatIf
            key={userId}
            resource={resource}
            userId={userId}
            action={action}
            context={context}
          />
        </>
      )}
    </Section>
  )
}
