import { Button } from '@mantine/core'
import { isClientUrl } from '../grants/client-id.ts'
import type { Account } from './account-data.ts'
import type { PageActions } from './page-actions.ts'
import { formatDay, Items, Section } from './section.tsx'
import { call } from './session.ts'

/** The apps that the person has agreed to. The host stands first: apps choose their own names. */
export function YourApps({
  account: { grants, workspaces },
  ask,
  reload,
}: { account: Account } & PageActions) {
  const nameOf = (id: string) => workspaces.find((workspace) => workspace.id === id)?.name ?? id
  return (
    <Section id="apps" title="Connected apps">
      <Items
        empty="You have given no app access."
        items={grants.map((grant) => ({
          id: grant.id,
          title: grant.host,
          detail: [
            ...nameOfClient(grant),
            `in ${nameOf(grant.workspace_id)}`,
            ...(grant.resource ? [grant.resource] : []),
            grant.scopes.join(' '),
            `last used ${formatDay(grant.last_used_at)}`,
          ].join(', '),
          actions: (
            <Button
              variant="default"
              size="xs"
              aria-label={`Disconnect ${grant.host}`}
              onClick={() =>
                ask({
                  title: `Disconnect ${grant.host}?`,
                  text: 'It loses its access at once. Programs on one computer that use the same app share its access.',
                  action: 'Disconnect',
                  run: () => call('DELETE', `/users/me/grants/${grant.id}`).then(reload),
                })
              }
            >
              Disconnect
            </Button>
          ),
        }))}
      />
    </Section>
  )
}

type Grant = Account['grants'][number]

/** The name of a registered app, or the name that an unregistered one gives itself. */
function nameOfClient({ client_id, client_name }: Grant): string[] {
  if (!client_name) return []
  return [isClientUrl(client_id) ? `calls itself “${client_name}”` : client_name]
}
