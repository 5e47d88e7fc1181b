import { Alert, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { NewSecretModal } from '../apps/new-secret.tsx'
import { settings } from '../settings.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Section } from '../ui/page.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import {
  confirmDeactivations,
  createScimToken,
  type Deactivations,
  directoryQuery,
  revokeScimToken,
  type ScimToken,
} from './directory-queries.ts'

/** How the directory of a company manages the members of a workspace by SCIM. */
export function Directory({ workspaceId }: { workspaceId: string }) {
  const directory = useQuery(directoryQuery(workspaceId))
  const [secret, setSecret] = useState<string>()
  const confirm = useConfirm()
  const create = async () => setSecret(await createScimToken(workspaceId))
  const hasToken = Boolean(directory.data)
  const actions = hasToken ? (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() =>
          confirm({
            title: 'Rotate the SCIM token?',
            children:
              'The directory cannot change anything until it has the new token: the previous one ends immediately.',
            action: 'Create new token',
            run: create,
          })
        }
      >
        Rotate token
      </Button>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        onClick={() =>
          confirm({
            title: 'Revoke the SCIM token?',
            children:
              'The directory can no longer change members and groups. Those that exist remain.',
            action: 'Revoke',
            run: async () => {
              await revokeScimToken(workspaceId)
              notifyDone('The SCIM token was revoked.')
            },
          })
        }
      >
        Revoke token
      </Button>
    </>
  ) : (
    <Button size="xs" variant="default" onClick={() => create().catch(notifyFailure)}>
      Create token
    </Button>
  )
  return (
    <Section
      title="Directory (SCIM)"
      description="The directory of a company adds its people, puts them into groups, and removes them when they leave. Their addresses must be in a verified domain of a connection."
      actions={directory.data !== undefined && actions}
    >
      <QueryState query={directory}>
        {(token) => (
          <>
            {token?.deactivations && (
              <DeactivationsNotice workspaceId={workspaceId} deactivations={token.deactivations} />
            )}
            <DirectoryFacts workspaceId={workspaceId} token={token} />
          </>
        )}
      </QueryState>
      <NewSecretModal name="SCIM token" secret={secret} onClose={() => setSecret(undefined)} />
    </Section>
  )
}

function DirectoryFacts({ workspaceId, token }: { workspaceId: string; token: ScimToken | null }) {
  const url = new URL(`/scim/v2/${workspaceId}`, settings.base_url).href
  const base: [string, ReactNode] = [
    'Base URL',
    <CopyableId key="url" id={url} label="Copy base URL" />,
  ]
  if (!token)
    return (
      <>
        <Facts items={[base]} />
        <EmptyState icon="users" title="No token yet">
          Create a token and enter it in the directory, with the base URL.
        </EmptyState>
      </>
    )
  return (
    <Facts
      items={[
        base,
        [
          'Token',
          <span key="token" className="mono">
            {token.prefix}…
          </span>,
        ],
        ['Created', <Time key="created" value={token.created_at} />],
        ['Last request (to the hour)', <Time key="used" value={token.last_used_at} relative />],
        ['Last change', <Time key="change" value={token.last_change_at} relative />],
        ['Active people', token.active_user_count.toLocaleString()],
        ['Deactivated people', token.inactive_user_count.toLocaleString()],
      ]}
    />
  )
}

/** Says what the directory has ended within an hour, and lets an owner confirm more. */
function DeactivationsNotice({
  workspaceId,
  deactivations,
}: {
  workspaceId: string
  deactivations: Deactivations
}) {
  const { member_count, ended_count, ends_at, is_held, confirmed_until } = deactivations
  const confirm = useConfirm()
  const ended = `${ended_count.toLocaleString()} of ${member_count.toLocaleString()} memberships`
  if (confirmed_until)
    return (
      <Alert color="yellow" variant="light" mb="md" title="An owner has confirmed deactivations">
        The directory may end any number of memberships until <Time value={confirmed_until} />. It
        has ended {ended}.
      </Alert>
    )
  if (!is_held) return null
  return (
    <Alert
      color="red"
      variant="light"
      mb="md"
      icon={<Icon name="alert" />}
      title="Deactivations wait for you"
    >
      <Text size="sm">
        The directory has ended {ended} within an hour. It can end no others before{' '}
        <Time value={ends_at} />, unless you confirm: somebody may have made a mistake there.
      </Text>
      <Button
        size="xs"
        color="red"
        variant="outline"
        mt="xs"
        onClick={() =>
          confirm({
            title: 'Let the directory end more memberships?',
            children: `It has ended ${ended}. For an hour, it may end any number, down to the last owner. These people lose their sessions and their access immediately; what they own remains until it is transferred. Directories repeat requests that have failed.`,
            action: 'Confirm deactivations',
            run: () => confirmDeactivations(workspaceId),
          })
        }
      >
        Confirm…
      </Button>
    </Alert>
  )
}
