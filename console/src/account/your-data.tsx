import { Button } from '@mantine/core'
import { downloadText } from '../ui/download.ts'
import type { Account } from './account-data.ts'
import styles from './account-page.module.css'
import type { PageActions } from './page-actions.ts'
import { Section } from './section.tsx'
import { call } from './session.ts'

/** The name, export and deletion. */
export function YourData({ user, ask, reload }: Pick<Account, 'user'> & PageActions) {
  return (
    <Section id="data" title="Your data">
      <div className={styles.actions}>
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: 'Change your name',
              text: 'Members of your workspaces see it.',
              action: 'Change',
              label: 'Name',
              value: user.name,
              run: (name) => call('PATCH', '/users/me', { name }).then(reload),
            })
          }
        >
          Change your name
        </Button>
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: 'Export your data',
              text: 'You get a JSON file with everything that is known about you.',
              action: 'Export',
              run: async () => {
                const data = await call<object>('GET', '/users/me/export')
                downloadText('account.json', 'application/json', JSON.stringify(data, undefined, 2))
              },
            })
          }
        >
          Export
        </Button>
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: 'Delete your account?',
              text: 'You are removed from every workspace, and workspaces of which you are the only member are deleted. This cannot be undone.',
              action: 'Delete my account',
              label: 'ID of the user who gets what you own, if others use it',
              isDangerous: true,
              run: async (transferTo) => {
                const query = transferTo
                  ? `?${new URLSearchParams({ transfer_to: transferTo })}`
                  : ''
                await call('DELETE', `/users/me${query}`)
                location.replace('/account')
              },
            })
          }
        >
          Delete your account
        </Button>
      </div>
    </Section>
  )
}
