import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Page } from '../api/client.ts'
import { CountBadge } from '../ui/badges.tsx'
import { Pager } from '../ui/data-table.tsx'
import { PersonCell } from '../ui/person.tsx'
import { usePreference } from '../ui/preferences.ts'
import { SearchInput } from '../ui/search-input.tsx'
import { QueryState } from '../ui/states.tsx'
import classes from './member-list.module.css'
import type { ListFilters } from './workspace-queries.ts'

type ListedMember = { user_id: string; name: string; email: string }

type Props<Member> = {
  title: string
  /** The name of the list for assistive technology, such as `members of Product`. */
  listLabel: string
  /** Loads a page of the members. */
  usePage: (filters: ListFilters) => UseQueryResult<Page<Member>>
  empty: string
  /** A button that downloads the list. */
  download: ReactNode
  /** Renders what is shown next to a member. */
  children: (member: Member) => ReactNode
}

/** The number of members that are shown without a search field. */
const shortLength = 10

/** The members of a group or role, a page at a time. A long list can be searched. */
export function MemberList<Member extends ListedMember>({
  title,
  listLabel,
  usePage,
  empty,
  download,
  children,
}: Props<Member>) {
  const [q, setQ] = useState<string>()
  const [page, setPage] = useState(1)
  const [pageSize, setPageSize] = usePreference('page-size.member-list', shortLength)
  const members = usePage({ q, page, page_size: pageSize })
  const total = members.data?.total ?? 0
  return (
    <>
      <div className={classes.heading}>
        <h3 className={classes.title}>
          {title} {members.data && !q && <CountBadge value={total} />}
        </h3>
        {total > 0 && download}
      </div>
      {(q || total > shortLength) && (
        <SearchInput
          label={`Search ${listLabel}`}
          value={q}
          onChange={(text) => {
            setQ(text)
            setPage(1)
          }}
        />
      )}
      <QueryState query={members}>
        {({ items }) => (
          <>
            <ul className={classes.list}>
              {items.length === 0 && (
                <li className="dimmed">{q || page > 1 ? 'No member matches' : empty}</li>
              )}
              {items.map((member) => (
                <li key={member.user_id}>
                  <PersonCell id={member.user_id} name={member.name} email={member.email} />
                  {children(member)}
                </li>
              ))}
            </ul>
            {(page > 1 || total > shortLength) && (
              <Pager
                label={`Pages of ${listLabel}`}
                page={page}
                total={total}
                pageSize={pageSize}
                rowCount={items.length}
                onPage={setPage}
                onPageSize={(size) => {
                  setPageSize(size)
                  setPage(1)
                }}
              />
            )}
          </>
        )}
      </QueryState>
    </>
  )
}
