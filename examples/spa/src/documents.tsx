import type { User } from '@daikon-auth/browser'
import { useCan, useDaikon } from '@daikon-auth/browser/react'
import { useCallback, useEffect, useState } from 'react'
import { listDocuments, type TextDocument, toResource } from './api.ts'
import { EditDialog } from './edit-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

/** What is open above the list; an edited document without an ID is a new one. */
type Opened =
  | { kind: 'edit'; document: Partial<TextDocument> }
  | { kind: 'share'; document: TextDocument }

export function Documents({ user }: { user: User }) {
  const daikon = useDaikon()
  const [documents, setDocuments] = useState<TextDocument[]>()
  const [error, setError] = useState('')
  const [opened, setOpened] = useState<Opened>()

  const load = useCallback(async () => {
    try {
      setDocuments(await listDocuments())
      setError('')
    } catch (error) {
      setError((error as Error).message)
    }
  }, [])

  useEffect(() => {
    // What the user may see changes while the page is in the background.
    const onVisible = () => document.visibilityState === 'visible' && void load()
    document.addEventListener('visibilitychange', onVisible)
    void load()
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [load])

  const close = () => setOpened(undefined)
  const onChange = () => {
    close()
    daikon.recheckPermissions()
    void load()
  }

  return (
    <main>
      <div className="title">
        <h1>Documents</h1>
        <button
          type="button"
          className="primary"
          onClick={() => setOpened({ kind: 'edit', document: {} })}
        >
          New document
        </button>
      </div>
      {error && (
        <p className="error" role="alert">
          {error}{' '}
          <button type="button" onClick={() => void load()}>
            Try again
          </button>
        </p>
      )}
      {documents ? (
        <ul className="documents">
          {documents.map((document) => (
            <Row key={document.id} document={document} onOpen={setOpened} />
          ))}
        </ul>
      ) : (
        !error && <Skeleton />
      )}
      {documents?.length === 0 && (
        <p className="empty">
          <b>No documents yet</b>
          <span className="muted">Create one, or ask a colleague to share theirs with you.</span>
        </p>
      )}
      {opened?.kind === 'edit' && (
        <EditDialog document={opened.document} onSave={onChange} onClose={close} />
      )}
      {opened?.kind === 'share' && (
        <ShareDialog document={opened.document} user={user} onSave={onChange} />
      )}
    </main>
  )
}

/** The checks of all rows share one request. */
function Row({ document, onOpen }: { document: TextDocument; onOpen: (opened: Opened) => void }) {
  const { title, text, updatedAt } = document
  const canEdit = useCan('edit', toResource(document))
  const canShare = useCan('manage', toResource(document))
  return (
    <li>
      <span className="page" aria-hidden="true" />
      <div className="summary">
        <h2>{title}</h2>
        <p>{text || 'Empty'}</p>
        <small>
          <time dateTime={updatedAt}>{dateFormat.format(new Date(updatedAt))}</time>
          {canEdit === false && <span className="badge">View only</span>}
        </small>
      </div>
      <div className="actions">
        {canEdit && (
          <button type="button" onClick={() => onOpen({ kind: 'edit', document })}>
            Edit<span className="hidden"> {title}</span>
          </button>
        )}
        {canShare && (
          <button type="button" onClick={() => onOpen({ kind: 'share', document })}>
            Share<span className="hidden"> {title}</span>
          </button>
        )}
      </div>
    </li>
  )
}

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

function Skeleton() {
  return (
    <ul className="documents" aria-busy="true" aria-label="Loading">
      {[1, 2, 3].map((row) => (
        <li key={row} className="skeleton">
          <span className="page" />
          <div className="summary">
            <i />
            <i />
          </div>
        </li>
      ))}
    </ul>
  )
}
