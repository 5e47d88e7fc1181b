import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import type { IconName } from '../ui/icon.tsx'
import { Card, Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

type Props<App> = {
  /** The kind of app in the singular, such as `service app`. */
  noun: string
  icon: IconName
  description: string
  /** The consequence of having no apps, shown if the list is empty. */
  emptyText: string
  apps: UseQueryResult<App[]>
  columns: Column<App>[]
  csvColumns: CsvColumn<App>[]
  onCreate: () => void
  /** The dialogs of the page. */
  children: ReactNode
}

/** The page that lists all apps of one kind. */
export function AppList<App extends { id: string }>(props: Props<App>) {
  const { noun, icon, description, emptyText, apps, columns, csvColumns, onCreate } = props
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`
  const fileName = `${noun.replace(' ', '-')}s`
  const createButton = <Button onClick={onCreate}>New {noun}</Button>
  return (
    <Page
      title={title}
      count={apps.data?.length}
      description={description}
      actions={
        <>
          {apps.data && <CsvButton name={fileName} columns={csvColumns} rows={apps.data} />}
          {createButton}
        </>
      }
    >
      <Card label={`All ${noun}s`}>
        <DataTable
          label={title}
          columns={columns}
          rows={apps.data}
          rowId="id"
          error={apps.error}
          onRetry={() => apps.refetch()}
          empty={
            <EmptyState icon={icon} title={`No ${noun}s yet`} action={createButton}>
              {emptyText}
            </EmptyState>
          }
        />
      </Card>
      {props.children}
    </Page>
  )
}
