import { Button, Switch } from '@mantine/core'
import type { Account } from './account-data.ts'
import styles from './account-page.module.css'
import type { PageActions } from './page-actions.ts'
import { settings, titleOf } from './page-settings.ts'
import { addPasskey, canAddPasskeys } from './passkey.ts'
import { formatTime, Items, Section } from './section.tsx'
import { call } from './session.ts'

/** Passkeys, accounts at providers, and codes. */
export function YourSignIns({ account, ask, reload }: { account: Account } & PageActions) {
  const { user, passkeys, accounts } = account
  const isLinked = (name: string) => accounts.some(({ provider }) => provider === name)
  return (
    <>
      {settings.has_passkeys && (
        <Section
          id="passkeys"
          title="Passkeys"
          hint="A passkey signs you in with your fingerprint, face or screen lock."
        >
          <Items
            empty="You have no passkey."
            items={passkeys.map(({ id, name, created_at, last_used_at }) => ({
              id,
              title: name,
              detail: `Added ${formatTime(created_at)}${last_used_at ? `, last used ${formatTime(last_used_at)}` : ''}`,
              actions: (
                <div className={styles.actions}>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Rename ${name}`}
                    onClick={() =>
                      ask({
                        title: 'Rename the passkey',
                        text: 'Only you see the name.',
                        action: 'Rename',
                        label: 'Name',
                        value: name,
                        run: (value) =>
                          call('PATCH', `/users/me/passkeys/${id}`, { name: value }).then(reload),
                      })
                    }
                  >
                    Rename
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Remove ${name}`}
                    onClick={() =>
                      ask({
                        title: `Remove ${name}?`,
                        text: 'It signs you in no more, and the sessions that it began end.',
                        action: 'Remove',
                        isDangerous: true,
                        run: () => call('DELETE', `/users/me/passkeys/${id}`).then(reload),
                      })
                    }
                  >
                    Remove
                  </Button>
                </div>
              ),
            }))}
          />
          {canAddPasskeys && (
            <div className={styles.actions}>
              <Button
                onClick={() =>
                  ask({
                    title: 'Add a passkey',
                    text: 'Your browser asks where to keep it.',
                    action: 'Add a passkey',
                    run: () => addPasskey().then(reload),
                  })
                }
              >
                Add a passkey
              </Button>
            </div>
          )}
        </Section>
      )}
      <Section id="accounts" title="Accounts" hint="You sign in with any of these accounts.">
        <Items
          empty="No account is linked."
          items={accounts.map(({ id, provider, email, linked_at }) => ({
            id,
            title: titleOf(provider),
            detail: `${email}, added ${formatTime(linked_at)}`,
            actions: (
              <Button
                variant="default"
                size="xs"
                aria-label={`Remove ${titleOf(provider)}`}
                onClick={() =>
                  ask({
                    title: `Remove ${titleOf(provider)}?`,
                    text: `${email} signs you in no more, and the sessions that it began end.`,
                    action: 'Remove',
                    isDangerous: true,
                    run: () => call('DELETE', `/users/me/accounts/${id}`).then(reload),
                  })
                }
              >
                Remove
              </Button>
            ),
          }))}
        />
        <div className={styles.actions}>
          {settings.providers
            .filter(({ name }) => !isLinked(name))
            .map(({ name, title }) => (
              <Button
                key={name}
                variant="default"
                onClick={() =>
                  ask({
                    title: `Add an account of ${title}`,
                    text: `You sign in at ${title}, and confirm that the account is yours.`,
                    action: 'Continue',
                    run: async () => {
                      const begun = await call<{ location: string }>('POST', '/users/me/accounts', {
                        provider: name,
                      })
                      location.assign(begun.location)
                    },
                  })
                }
              >
                Add {title}
              </Button>
            ))}
        </div>
        {settings.has_codes && (
          <Switch
            mt="md"
            label="Sign in with codes by e-mail"
            description={`A code can be sent to ${user.email}.`}
            checked={user.email_sign_in}
            onChange={() =>
              ask({
                title: user.email_sign_in ? 'Turn codes off?' : 'Turn codes on?',
                text: user.email_sign_in
                  ? 'Codes that are sent to your address no longer sign you in.'
                  : 'Anyone who can read your e-mail can sign in with a code.',
                action: user.email_sign_in ? 'Turn off' : 'Turn on',
                run: () =>
                  call('PUT', '/users/me/email-sign-in', { enabled: !user.email_sign_in }).then(
                    reload,
                  ),
              })
            }
          />
        )}
      </Section>
    </>
  )
}
