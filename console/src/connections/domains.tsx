import { Button, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { Badge } from '../ui/badges.tsx'
import { CopyIcon } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { Time } from '../ui/time.tsx'
import {
  type Connection,
  type ConnectionDomain,
  readConnection,
  updateConnection,
  verifyDomain,
} from './connection-queries.ts'
import classes from './domains.module.css'

/** Milliseconds for which the TXT record of a verified domain may be missing. */
const grace = 7 * 86_400_000

/** The domains whose addresses the provider may assert, and the records that prove them. */
export function Domains({ connection }: { connection: Connection }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <Section
      title="Domains"
      count={connection.domains.length}
      description="The provider signs in addresses of verified domains only. daikon looks for the TXT record every week; a week without it turns the domain off."
      actions={
        <Button size="xs" variant="default" onClick={() => setAdding(true)}>
          Add a domain
        </Button>
      }
    >
      <DomainList connection={connection} canRemove />
      <FormModal
        title={`Add a domain to ${connection.name}`}
        action="Add"
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        initialValues={{ domain: '' }}
        send={({ domain }) => addDomain(connection, domain.trim())}
      >
        {(form) => (
          <TextInput
            label="Domain"
            description="Such as example.com. Subdomains are domains of their own."
            data-autofocus
            {...form.getInputProps('domain')}
          />
        )}
      </FormModal>
    </Section>
  )
}

async function addDomain(connection: Connection, domain: string): Promise<void> {
  if (!domain) throw new ApiError(422, { errors: [{ field: 'domain', message: 'is required' }] })
  try {
    await changeDomains(connection, (domains) => [...domains, domain])
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw error.renameFields((field) => (/^domains\[/.test(field) ? 'domain' : field))
  }
}

/** Changes the list that the connection has now, which another person may have changed. */
async function changeDomains(
  connection: Connection,
  change: (domains: string[]) => string[],
): Promise<void> {
  const { domains } = await readConnection(connection)
  await updateConnection(connection, { domains: change(domains.map(({ domain }) => domain)) })
}

/** What came of looking for a TXT record. */
type CheckResult = { isFound: boolean; text: string }

type ListProps = {
  connection: Connection
  /** Whether domains can be removed. The last one cannot. */
  canRemove?: boolean
}

/** The domains of a connection with their TXT records, which can be checked. */
export function DomainList({ connection, canRemove = false }: ListProps) {
  const { name, domains } = connection
  const [results, setResults] = useState<Record<string, CheckResult>>({})
  const [checking, setChecking] = useState<string>()

  async function check(domain: string) {
    setChecking(domain)
    const result = await verifyDomain(connection, domain).then(
      () => ({ isFound: true, text: 'The TXT record was found.' }),
      (error) => ({ isFound: false, text: describeError(error) }),
    )
    setResults((others) => ({ ...others, [domain]: result }))
    setChecking(undefined)
  }

  async function remove(domain: string) {
    await changeDomains(connection, (all) => all.filter((other) => other !== domain))
    notifyDone(`${domain} was removed.`)
  }

  return (
    <ul aria-label="Domains" className={classes.domains}>
      {domains.map(({ domain, ...state }) => (
        <li key={domain}>
          <div className={classes.heading}>
            <b>{domain}</b>
            <DomainState {...state} />
            <span className={classes.actions}>
              <Button
                size="xs"
                variant="default"
                loading={checking === domain}
                aria-label={`Check now: ${domain}`}
                onClick={() => check(domain)}
              >
                Check now
              </Button>
              {canRemove && domains.length > 1 && (
                <RowAction
                  label="Remove"
                  name={`Remove ${domain}`}
                  confirmation={{
                    title: `Remove ${domain} from ${name}?`,
                    children:
                      'People with an address of the domain can no longer sign in through the connection. Their sessions through it end at the next refresh.',
                    action: 'Remove',
                    run: () => remove(domain),
                  }}
                />
              )}
            </span>
          </div>
          <CheckMessage result={results[domain]} />
          <dl className={classes.record}>
            <RecordPart
              label="TXT record"
              value={state.txt_host}
              copyLabel={`Copy the name for ${domain}`}
            />
            <RecordPart
              label="Value"
              value={state.txt_value}
              copyLabel={`Copy the value for ${domain}`}
            />
            <div>
              <dt>Last check</dt>
              <dd>
                <Time value={state.checked_at} empty="Not verified yet" relative />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  )
}

function RecordPart({
  label,
  value,
  copyLabel,
}: {
  label: string
  value: string
  copyLabel: string
}) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
        <CopyIcon value={value} label={copyLabel} />
      </dd>
    </div>
  )
}

function DomainState({
  verified_at,
  failing_since,
  checked_at,
}: Omit<ConnectionDomain, 'domain'>): ReactNode {
  if (verified_at && failing_since) {
    const end = new Date(Date.parse(failing_since) + grace).toISOString()
    return (
      <>
        <Badge color="yellow">Record missing</Badge>
        <small className={classes.end}>
          Off after <Time value={end} />
        </small>
      </>
    )
  }
  if (verified_at) return <Badge color="leaf">Verified</Badge>
  return checked_at ? <Badge color="red">Off</Badge> : <Badge color="yellow">Pending</Badge>
}

function CheckMessage({ result }: { result: CheckResult | undefined }) {
  return (
    <p role="status" className={classes.message} data-failed={result && !result.isFound}>
      {result?.text}
    </p>
  )
}
