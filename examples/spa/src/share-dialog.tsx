import type { User } from '@daikon-auth/browser'
import { useEffect, useState } from 'react'
import {
  listMembers,
  listShares,
  type Member,
  type Permission,
  type Shares,
  setShare,
  type TextDocument,
} from './api.ts'
import { Dialog } from './dialog.tsx'
import { Avatar } from './header.tsx'

export function ShareDialog({
  document: { id, title },
  user,
  onSave,
}: {
  document: TextDocument
  user: User
  onSave: () => void
}) {
  const [members, setMembers] = useState<Member[]>()
  const [shares, setShares] = useState<Shares>()
  const [error, setError] = useState('')

  useEffect(() => {
    const failed = ({ message }: Error) => setError(message)
    listMembers(user.workspace.id).then(setMembers, failed)
    listShares(id).then(setShares, failed)
  }, [id, user.workspace.id])

  async function change(userId: string, permission: Permission | 'none') {
    try {
      await setShare(id, userId, permission)
      setShares(await listShares(id))
      setError('')
    } catch (error) {
      setError((error as Error).message)
    }
  }

  return (
    <Dialog title={`Share ${title}`} onClose={onSave}>
      <p className="muted">Owners and administrators of the workspace see every document.</p>
      <ul className="members" aria-busy={!members || !shares}>
        {shares &&
          members?.map((member) => (
            <li key={member.user_id}>
              <Avatar name={member.name || member.email} />
              <span className="who">
                <b>{member.name || member.email}</b>
                <small>{member.email}</small>
              </span>
              <Access member={member} shares={shares} user={user} onChange={change} />
            </li>
          ))}
      </ul>
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="buttons">
        <button type="button" className="primary" onClick={onSave}>
          Done
        </button>
      </div>
    </Dialog>
  )
}

/** What a member may do: by the role, as the owner, or by a share that can be changed. */
function Access({
  member: { user_id, name, email, role },
  shares: { ownerId, permissions },
  user,
  onChange,
}: {
  member: Member
  shares: Shares
  user: User
  onChange: (userId: string, permission: Permission | 'none') => void
}) {
  if (user_id === ownerId)
    return <span className="badge">{user_id === user.id ? 'You' : 'Owner'}</span>
  if (role === 'owner' || role === 'admin') return <span className="badge">Workspace {role}</span>
  return (
    <select
      aria-label={`Access of ${name || email}`}
      value={permissions[user_id] ?? 'none'}
      onChange={({ target }) => onChange(user_id, target.value as Permission | 'none')}
    >
      <option value="none">No access</option>
      <option value="view">Can view</option>
      <option value="edit">Can edit</option>
    </select>
  )
}
