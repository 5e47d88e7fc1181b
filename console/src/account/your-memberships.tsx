import { Button } from '@mantine/core'
import type { Account } from './account-data.ts'
import styles from './account-page.module.css'
import type { PageActions } from './page-actions.ts'
import { Items, Section } from './section.tsx'
import { call } from './session.ts'

/** Workspaces and invitations. */
export function YourMemberships({ account, ask, reload }: { account: Account } & PageActions) {
  return (
    <>
      {account.invitations.length > 0 && (
        <Section id="invitations" title="Invitations">
          <Items
            empty=""
            items={account.invitations.map(
              ({ workspace_id, workspace_name, role, invited_by }) => ({
                id: workspace_id,
                title: workspace_name,
                detail: `${invited_by ? invited_by.name || invited_by.email : 'An administrator'} invited you as ${role}`,
                actions: (
                  <div className={styles.actions}>
                    <Button
                      size="xs"
                      aria-label={`Join ${workspace_name}`}
                      onClick={() =>
                        ask({
                          title: `Join ${workspace_name}?`,
                          text: 'Its members see your name and address.',
                          action: 'Join',
                          run: () =>
                            call('POST', `/users/me/invitations/${workspace_id}/accept`, {}).then(
                              reload,
                            ),
                        })
                      }
                    >
                      Join
                    </Button>
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={`Decline ${workspace_name}`}
                      onClick={() =>
                        ask({
                          title: `Decline ${workspace_name}?`,
                          text: 'The invitation ends.',
                          action: 'Decline',
                          run: () =>
                            call('DELETE', `/users/me/invitations/${workspace_id}`).then(reload),
                        })
                      }
                    >
                      Decline
                    </Button>
                  </div>
                ),
              }),
            )}
          />
        </Section>
      )}
      <Section id="workspaces" title="Workspaces">
        <Items
          empty="You are a member of no workspace."
          items={account.workspaces.map(({ id, name, role }) => ({
            id,
            title: name,
            detail: role,
            actions: (
              <Button
                variant="default"
                size="xs"
                aria-label={`Leave ${name}`}
                onClick={() =>
                  ask({
                    title: `Leave ${name}?`,
                    text: 'You lose its groups, roles and shares. Only another invitation brings you back.',
                    action: 'Leave',
                    isDangerous: true,
                    run: () => call('DELETE', `/users/me/memberships/${id}`).then(reload),
                  })
                }
              >
                Leave
              </Button>
            ),
          }))}
        />
      </Section>
    </>
  )
}
