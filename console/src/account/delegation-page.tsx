import { Button, Loader, NativeSelect } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { CoverageText, ResourceName } from '../delegations/coverage.tsx'
import { shownText } from '../delegations/shown-text.ts'
import styles from './account-page.module.css'
import {
  describeViolations,
  findRepeated,
  readDelegationLink,
  withAnswer,
} from './delegation-link.ts'
import { type Arrival, call, RequestFailure, signIn } from './session.ts'
import { SignedOut } from './signed-out.tsx'
import { useSettled } from './use-settled.ts'

type Preview = Schemas['DelegationPreview']
type Delegation = Schemas['Delegation']

/** What the page shows. */
type Content = { preview: Preview; email: string }

/** The number of resources that the sentence names. More are a list. */
const namedResources = 3

/** The page of a link by which an agent asks to act for the person. Nothing is made before they allow it. */
export function DelegationPage({ arrival }: { arrival: Arrival }) {
  const [content, setContent] = useState<Content>()
  const [failure, setFailure] = useState<Refusal>()
  const [made, setMade] = useState<Delegation>()
  useDocumentTitle('An agent asks to act for you')
  useEffect(() => {
    if (arrival.isSignedIn) load().then(setContent, (error) => setFailure(describe(error)))
  }, [arrival])
  if (!arrival.isSignedIn)
    return <SignedOut error={arrival.error} purpose="Sign in to see what an agent asks for." />
  return (
    <main className={styles.page}>
      {made ? (
        <Made delegation={made} />
      ) : failure ? (
        <Refused {...failure} />
      ) : content ? (
        <Question {...content} hasSteppedUp={arrival.hasSteppedUp ?? false} onMade={setMade} />
      ) : (
        <Loader aria-label="Loading" />
      )}
    </main>
  )
}

async function load(): Promise<Content> {
  const query = new URLSearchParams(location.search)
  const repeated = findRepeated(query)
  if (repeated.length > 0)
    throw new LinkError(repeated.map((name) => `${name} must not be repeated`))
  const [preview, { email }] = await Promise.all([
    call<Preview>('POST', '/users/me/delegations/preview', readDelegationLink(query)),
    call<Schemas['UserResponse']>('GET', '/users/me'),
  ])
  return { preview, email }
}

/** Parameters that are wrong. */
class LinkError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('The link is wrong')
    this.problems = problems
  }
}

type Refusal = { problems?: string[]; sentence?: string }

function describe(failure: Error): Refusal {
  if (failure instanceof LinkError) return { problems: failure.problems }
  const errors = failure instanceof RequestFailure ? failure.problem.errors : undefined
  return Array.isArray(errors) && errors.length > 0
    ? { problems: describeViolations(errors) }
    : { sentence: failure.message }
}

function Refused({ problems, sentence }: Refusal) {
  return (
    <>
      <h1>This link does not work</h1>
      <div role="alert">
        {sentence && <p>{sentence}</p>}
        {problems && (
          <>
            <p>The application that sent you here has to correct it:</p>
            <ul>
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      <p>
        Nothing was allowed.{' '}
        <a className="link" href="/account">
          Go to your account
        </a>
      </p>
    </>
  )
}

function Question({
  preview,
  email,
  hasSteppedUp,
  onMade,
}: Content & { hasSteppedUp: boolean; onMade: (delegation: Delegation) => void }) {
  const { agent, host, workspaces, resources, reason, expires_at, return_to } = preview
  const [workspaceId, setWorkspaceId] = useState(() => readChoice(workspaces))
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const isSettled = useSettled()
  const needsSignIn = error instanceof RequestFailure && error.reason === 'SIGN_IN_TOO_OLD'
  const workspace = workspaces.find(({ id }) => id === workspaceId)
  const name = <bdi>{shownText(agent.name) || agent.id}</bdi>
  const all = resources ?? []

  async function allow(): Promise<void> {
    if (!isSettled) return undefined
    if (needsSignIn) return signIn('login')
    setBusy(true)
    setError(undefined)
    try {
      const made = await call<Delegation>(
        'POST',
        '/users/me/delegations',
        toBody(preview, workspaceId),
      )
      if (return_to) location.assign(withAnswer(return_to, 'delegation_id', made.id))
      else onMade(made)
    } catch (thrown) {
      setError(thrown as Error)
      setBusy(false)
    }
  }

  function deny(): void {
    location.assign(return_to ? withAnswer(return_to, 'error', 'access_denied') : '/account')
  }

  return (
    <>
      {hasSteppedUp && (
        <p className={styles.notice} role="status">
          You have signed in again. You can now answer.
        </p>
      )}
      <h1>{name} wants to act for you</h1>
      <p className="dimmed">{describeAgent(preview)}</p>
      <section className={styles.section} aria-label="What it asks for">
        {workspaces.length > 1 ? (
          <NativeSelect
            label="Workspace"
            description="The agent may act for you in this workspace only."
            mb="md"
            value={workspaceId}
            onChange={({ currentTarget: { value } }) => {
              setWorkspaceId(value)
              keepChoice(value)
            }}
            data={workspaces.map(({ id, name }) => ({ value: id, label: shownText(name) || id }))}
          />
        ) : null}
        <p>
          {name} wants to act for you in the workspace{' '}
          <bdi>{shownText(workspace?.name ?? '') || workspaceId}</bdi> until{' '}
          <b>{formatEnd(expires_at)}</b>.
        </p>
        <p>
          <CoverageText coverage={preview} limit={namedResources} /> It may not do anything else, or
          anything that you may not do.
        </p>
        {all.length > namedResources && (
          <>
            <p>All {all.length} that it asks for:</p>
            <ul>
              {all.map((resource) => (
                <li key={resource.resource_id}>
                  <ResourceName resource={resource} />
                </li>
              ))}
            </ul>
          </>
        )}
        <p>It gives this reason:</p>
        <blockquote className={styles.reason}>
          <bdi>{shownText(reason, 500)}</bdi>
        </blockquote>
      </section>
      {error && (
        <p className={styles.notice} role="alert">
          {needsSignIn
            ? 'Sign in again to allow this. You come back to this page, and can answer within ten minutes.'
            : error.message}
        </p>
      )}
      <div className={styles.actions}>
        <Button variant="default" onClick={deny}>
          Deny
        </Button>
        <Button loading={isBusy} aria-disabled={!isSettled} onClick={allow}>
          {needsSignIn ? 'Sign in again' : 'Allow'}
        </Button>
      </div>
      <p className="dimmed">
        You are signed in as {email}. What the agent does is recorded with your name and its own.
        You can end this at any time on{' '}
        <a className="link" href="/account#delegations">
          your account page
        </a>
        .{return_to && <> Your answer leads you back to {host}.</>}
      </p>
    </>
  )
}

/** The address has the choice of the workspace, so that it outlives another sign-in. */
function readChoice(workspaces: Preview['workspaces']): string {
  const kept = workspaces.find(({ id }) => `#${id}` === location.hash)
  return (kept ?? workspaces[0])?.id ?? ''
}

function keepChoice(workspaceId: string): void {
  history.replaceState(undefined, '', `${location.search}#${workspaceId}`)
}

function Made({ delegation: { id, agent } }: { delegation: Delegation }) {
  return (
    <>
      <h1>
        <bdi>{shownText(agent.name) || agent.id}</bdi> can now act for you
      </h1>
      <p role="status">
        The ID of the delegation is <span className="mono">{id}</span>. The agent may need it.
      </p>
      <p>
        <a className="link" href="/account#delegations">
          Go to your account
        </a>
      </p>
    </>
  )
}

/** Says who asks. The host of a registered app is that of its redirect address. */
function describeAgent({ agent, host, workspaces }: Preview): string {
  if (agent.type === 'service_account')
    return `A service account of the workspace ${shownText(workspaces[0]?.name ?? '')}`
  return host ? `An app at ${host}` : 'An app that is registered here'
}

function toBody(preview: Preview, workspaceId: string) {
  const { agent, service_name, actions, resource_types, resources, reason, expires_at } = preview
  const references = resources?.map(({ resource_type, resource_id }) => ({
    resource_type,
    resource_id,
  }))
  return {
    agent: { type: agent.type, id: agent.id },
    workspace_id: workspaceId,
    service_name,
    actions,
    resource_types,
    resources: references ?? null,
    reason,
    expires_at,
  }
}

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
})
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Formats when the delegation ends, in the time zone of the browser. */
function formatEnd(time: string | null): string {
  const end = new Date(time ?? '')
  const isThisYear = end.getFullYear() === new Date().getFullYear()
  return `${(isThisYear ? day : dayOfYear).format(end)}, ${hour.format(end)}`
}
