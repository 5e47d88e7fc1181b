import { Button, Loader } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { CoverageText } from '../delegations/coverage.tsx'
import { shownText } from '../delegations/shown-text.ts'
import type { Account } from './account-data.ts'
import type { PageActions } from './page-actions.ts'
import { formatDay, formatTime, Items, Section } from './section.tsx'
import { call } from './session.ts'

/** The number of resources that are named of each delegation. */
const namedResources = 20

type Delegation = Schemas['Delegation']

/** The agents that act for the person. They are loaded once they are on the screen, so that the page loads fast. */
export function YourDelegations({
  account: { workspaces },
  ask,
}: { account: Account } & PageActions) {
  const [delegations, setDelegations] = useState<Delegation[]>()
  const [error, setError] = useState<string>()
  const { ref, isVisible } = useVisibility()
  const load = useCallback(
    async () => setDelegations(await call<Delegation[]>('GET', '/users/me/delegations')),
    [],
  )
  useEffect(() => {
    if (isVisible) load().catch(({ message }: Error) => setError(message))
  }, [isVisible, load])
  const nameOf = (id: string) => workspaces.find((workspace) => workspace.id === id)?.name ?? id
  return (
    <div ref={ref}>
      <Section
        id="delegations"
        title="Agents that act for you"
        hint="An agent is software that acts in your name, within limits and until a time."
      >
        {error && <p role="alert">{error}</p>}
        {isVisible && !delegations && !error && <Loader aria-label="Loading" />}
        {delegations && (
          <Items
            empty="No agent acts for you. An agent that wants to leads you to a page that shows what it asks for."
            items={delegations.map((delegation) => {
              const agent = shownText(delegation.agent.name) || delegation.agent.id
              return {
                id: delegation.id,
                title: <bdi>{agent}</bdi>,
                detail: (
                  <Detail delegation={delegation} workspace={nameOf(delegation.workspace_id)} />
                ),
                actions: (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`End ${agent}`}
                    onClick={() =>
                      ask({
                        title: `End ${agent}?`,
                        text: 'It can no longer act for you: its next call is denied.',
                        action: 'End',
                        run: () =>
                          call('DELETE', `/users/me/delegations/${delegation.id}`).then(load),
                      })
                    }
                  >
                    End
                  </Button>
                ),
              }
            })}
          />
        )}
      </Section>
    </div>
  )
}

function Detail({ delegation, workspace }: { delegation: Delegation; workspace: string }) {
  const { reason, expires_at, last_used_at } = delegation
  const use = last_used_at ? `last used ${formatDay(last_used_at)}` : 'not used yet'
  return (
    <>
      <CoverageText coverage={delegation} limit={namedResources} /> Its reason: “
      <bdi>{shownText(reason, 500)}</bdi>”.
      <br />
      In {workspace}, until {formatTime(expires_at)}, {use}
    </>
  )
}

/** Tells once an element is on the screen. */
function useVisibility() {
  const ref = useRef<HTMLDivElement>(null)
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!ref.current || isVisible) return undefined
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setVisible(true)
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [isVisible])
  return { ref, isVisible }
}
