import { Alert, Stack, Switch } from '@mantine/core'
import { useConfirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { type Connection, updateConnection } from './connection-queries.ts'

/** Whether members must sign in through the connection, and whether owners can get in otherwise. */
export function Enforcement({ connection }: { connection: Connection }) {
  const { name, enforced, break_glass, domains } = connection
  const confirm = useConfirm()
  const verified = domains.filter(({ verified_at }) => verified_at).map(({ domain }) => domain)
  const people = `Members with an address of ${verified.join(', ') || 'a verified domain'}`

  async function save(change: { enforced?: boolean; break_glass?: boolean }) {
    await updateConnection(connection, change)
    notifyDone('Saved.')
  }

  function setEnforced(isEnforced: boolean) {
    if (!isEnforced) return void save({ enforced: false }).catch(notifyFailure)
    confirm({
      title: `Require the sign-in by ${name}?`,
      children: (
        <>
          {people} can sign in to this workspace by {name} only, and their other sessions in it end
          immediately.{' '}
          {break_glass
            ? 'Owners can still sign in otherwise, which is recorded.'
            : 'This includes the owners: if the provider fails, nobody can get in until an administrator of daikon changes it.'}
        </>
      ),
      action: 'Require',
      run: () => save({ enforced: true }),
    })
  }

  function setBreakGlass(isAllowed: boolean) {
    if (isAllowed) return void save({ break_glass: true }).catch(notifyFailure)
    confirm({
      title: 'Lock owners out if the provider fails?',
      children: `While the sign-in by ${name} is required, owners can sign in by it only. If the provider fails or its settings are wrong, nobody can get in until an administrator of daikon changes it.`,
      action: 'Forbid',
      run: () => save({ break_glass: false }),
    })
  }

  return (
    <Section
      title="Enforcement"
      description="Requiring the connection needs a verified domain and a sign-in by it in the last day."
    >
      <Stack gap="md">
        <Switch
          label="Require the sign-in by this connection"
          description={`${people} cannot sign in to this workspace otherwise.`}
          checked={enforced}
          onChange={(event) => setEnforced(event.currentTarget.checked)}
        />
        <Switch
          label="Let owners sign in otherwise (break glass)"
          description="Each use is recorded in the activity."
          checked={break_glass}
          onChange={(event) => setBreakGlass(event.currentTarget.checked)}
        />
        {enforced && !break_glass && (
          <Alert color="yellow" variant="light" icon={<Icon name="alert" />}>
            If the provider fails, nobody can get in, not even an owner.
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
