import { type SubmitEvent, useState } from 'react'
import { saveDocument, type TextDocument } from './api.ts'
import { Dialog } from './dialog.tsx'

export function EditDialog({
  document: { id, title = '', text = '' },
  onSave,
  onClose,
}: {
  document: Partial<TextDocument>
  onSave: () => void
  onClose: () => void
}) {
  const [error, setError] = useState('')

  async function save(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const changes = { title: String(form.get('title')), text: String(form.get('text')) }
    try {
      await saveDocument(id ? { id, ...changes } : changes)
      onSave()
    } catch (error) {
      setError((error as Error).message)
    }
  }

  return (
    <Dialog title={id ? `Edit ${title}` : 'New document'} onClose={onClose}>
      <form onSubmit={save}>
        <label>
          Title
          <input name="title" defaultValue={title} required maxLength={100} />
        </label>
        <label>
          Text
          <textarea name="text" defaultValue={text} rows={6} />
        </label>
        {error && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <div className="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
