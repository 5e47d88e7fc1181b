import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { useName } from '../api/names.ts'
import { MembershipForm } from '../people/membership-form.tsx'
import { Icon } from '../ui/icon.tsx'
import { QueryState } from '../ui/states.tsx'
import { AccessPicture } from './access-picture.tsx'
import { Reason } from './reason.tsx'
import {
  explanationQuery,
  type Question,
  type Resource,
  refreshResources,
} from './resource-queries.ts'
import { ShareForm } from './share-form.tsx'

type Props = { resource: Resource } & Question

/**
 * Shows whether a person may perform an action on a resource and why. After a denial, it offers
 * the dialogs that give access.
 */
export function Explanation({ resource, ...question }: Props) {
  const { userId, action } = question
  const explanation = useQuery(explanationQuery(resource.id, question))
  return (
    <div style={{ marginTop: '1rem' }} aria-live="polite">
      <QueryState query={explanation} skeleton={null}>
        {(data) => (
          <>
            <Verdict explanation={data} />
            {data.decision ? (
              <AccessPicture resource={resource} userId={userId} reasons={data.reasons} />
            ) : (
              <Remedies
                resource={resource}
                userId={userId}
                action={action}
                reasons={data.reasons}
              />
            )}
          </>
        )}
      </QueryState>
    </div>
  )
}

/** Shows a decision with its reasons. */
export function Verdict({
  explanation: { decision, sentence, reasons },
}: {
  explanation: Schemas['PermissionExplanation']
}) {
  return (
    <Alert
      color={decision ? 'leaf' : 'red'}
      variant="light"
      icon={<Icon name={decision ? 'check' : 'close'} />}
    >
      <Text size="sm" fw={500}>
        {sentence}
      </Text>
      {decision && (
        <List spacing={4} size="sm" mt="xs">
          {reasons.map((reason, index) => (
            <List.Item key={index}>
              <Reason reason={reason} />
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}

/** Buttons that open the dialogs which give access: to members a share, to others a membership. */
function Remedies({
  resource,
  userId,
  action,
  reasons,
}: Omit<Props, 'context'> & { reasons: Schemas['AccessReason'][] }) {
  const [open, setOpen] = useState<'share' | 'membership'>()
  const { data: person } = useName(userId)
  const rules = reasons.map(({ rule }) => rule)
  if (!person || rules.includes('user_unknown') || rules.includes('user_inactive')) return null
  const close = () => setOpen(undefined)
  return (
    <Group gap="xs" mt="sm">
      {rules.includes('not_a_member') ? (
        <Button size="xs" variant="default" onClick={() => setOpen('membership')}>
          Add to workspace…
        </Button>
      ) : (
        <Button size="xs" variant="default" onClick={() => setOpen('share')}>
          Share…
        </Button>
      )}
      <ShareForm
        resource={resource}
        userId={userId}
        action={action}
        isOpen={open === 'share'}
        onClose={close}
      />
      <MembershipForm
        userId={userId}
        name={person.name}
        workspaceId={resource.workspace_id}
        isOpen={open === 'membership'}
        onClose={close}
        onAdded={refreshResources}
      />
    </Group>
  )
}
