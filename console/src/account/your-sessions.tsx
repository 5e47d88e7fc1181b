import { Button } from '@mantine/core'
import type { Account } from './account-data.ts'
import styles from './account-page.module.css'
import type { PageActions } from './page-actions.ts'
import { titleOf } from './page-settings.ts'
import { formatTime, Items, Section } from './section.tsx'
import { call } from './session.ts'

/** Where the person is signed in. */
export function YourSessions({ sessions, ask, reload }: Pick<Account, 'sessions'> & PageActions) {
  return (
    <Section id="sessions" title="Where you are signed in">
      <Items
        empty="You are signed in nowhere else."
        items={sessions.map(({ id, provider, user_agent, last_used_at, current }) => ({
          id,
          title: current ? 'This page' : user_agent || 'An application',
          detail: `${titleOf(provider)}, last used ${formatTime(last_used_at)}`,
          ...(!current && {
            actions: (
              <Button
                variant="default"
                size="xs"
                aria-label={`End the session of ${formatTime(last_used_at)}`}
                onClick={() =>
                  ask({
                    title: 'End this session?',
                    text: 'The application has to sign in again.',
                    action: 'End session',
                    run: () => call('DELETE', `/users/me/sessions/${id}`).then(reload),
                  })
                }
              >
                End
              </Button>
            ),
          }),
        }))}
      />
      <div className={styles.actions}>
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: 'Sign out everywhere else?',
              text: 'All other sessions end, on every device.',
              action: 'End all others',
              isDangerous: true,
              run: () => call('DELETE', '/users/me/sessions').then(reload),
            })
          }
        >
          End all others
        </Button>
      </div>
    </Section>
  )
}
