import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Section } from '../ui/page.tsx'
import { PersonCell } from '../ui/person.tsx'
import { EmptyState } from '../ui/states.tsx'
import { TokenPager } from '../ui/token-pager.tsx'
import { ActionSelect } from './action-select.tsx'
import { Reason } from './reason.tsx'
import { type Question, type Resource, subjectsQuery } from './resource-queries.ts'
import classes from './who-has-access.module.css'

const columns: Column<Schemas['PermissionSubject']>[] = [
  {
    id: 'person',
    header: 'Person',
    cell: ({ user_id, name, email }) => <PersonCell id={user_id} name={name} email={email} />,
  },
  {
    id: 'reasons',
    header: 'Because',
    cell: ({ reasons, conditional, conditions }) => (
      <>
        <ul className={classes.reasons}>
          {reasons.map((reason, index) => (
            <li key={index}>
              <Reason reason={reason} />
            </li>
          ))}
        </ul>
        {conditional && `Only under conditions: ${conditions.join(', ')}`}
      </>
    ),
  },
]

const csvColumns: CsvColumn<Schemas['PermissionSubject']>[] = [
  'user_id',
  'email',
  'name',
  ['reasons', ({ reasons }) => reasons.map(({ rule }) => rule).join(' ')],
  ['conditions', ({ conditions }) => conditions.join(' ')],
]

/** Loads everyone who may perform an action, page by page. */
async function* loadSubjects(resourceId: string, question: Omit<Question, 'userId'>) {
  let token: string | undefined
  do {
    const page = await fetchNow(subjectsQuery(resourceId, question, token))
    yield page.items
    token = page.next_page_token ?? undefined
  } while (token)
}

type Props = {
  resource: Resource
  /** The context of the request as JSON. */
  context: string | undefined
}

/** Shows everyone who may perform an action, with the reasons. */
export function WhoHasAccess({ resource, context }: Props) {
  const [action, setAction] = useState('view')
  // The token of a page belongs to its context.
  const [paging, setPaging] = useState<{ context: string | undefined; tokens: string[] }>()
  const tokens = paging?.context === context ? (paging?.tokens ?? []) : []
  const setTokens = (tokens: string[]) => setPaging({ context, tokens })
  const subjects = useQuery({
    ...subjectsQuery(resource.id, { action, context }, tokens.at(-1)),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      title="Who has access"
      description={
        <>
          Everyone who may take the action, or might under conditions, and why
          {context && (
            <>
              , with the context <code>{context}</code>
            </>
          )}
          .
        </>
      }
      actions={
        <>
          <CsvButton
            name="who-has-access"
            columns={csvColumns}
            rows={() => loadSubjects(resource.id, { action, context })}
          />
          <ActionSelect
            service={resource.service_name}
            isLabelHidden
            value={action}
            onChange={(action) => {
              setAction(action)
              setTokens([])
            }}
          />
        </>
      }
    >
      <DataTable
        label="Who has access"
        columns={columns}
        rows={subjects.data?.items}
        rowId="user_id"
        error={subjects.error}
        onRetry={() => subjects.refetch()}
        isStale={subjects.isPlaceholderData}
        empty={<EmptyState icon="lock" title={`No one may ${action} it`} />}
      />
      <TokenPager tokens={tokens} nextToken={subjects.data?.next_page_token} onChange={setTokens} />
    </Section>
  )
}
