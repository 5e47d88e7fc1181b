import type { User, Workspace } from '@daikon-auth/browser'
import { useDaikon } from '@daikon-auth/browser/react'
import { useEffect, useState } from 'react'
import { Logo } from './logo.tsx'
import { showError } from './notice.tsx'

export function Header({ user }: { user: User }) {
  const daikon = useDaikon()
  return (
    <header>
      <span className="brand">
        <Logo /> <span>Documents</span>
      </span>
      <WorkspaceSwitch user={user} />
      <span className="person">
        <Avatar name={user.name || user.email} />
        <span className="who">
          <b>{user.name}</b>
          <small>{user.email}</small>
        </span>
        <button type="button" className="plain" onClick={() => daikon.signOut().catch(showError)}>
          Sign out
        </button>
      </span>
    </header>
  )
}

function WorkspaceSwitch({ user: { workspace } }: { user: User }) {
  const daikon = useDaikon()
  const [workspaces, setWorkspaces] = useState<Workspace[]>([])

  useEffect(() => {
    daikon.workspaces().then(setWorkspaces, () => setWorkspaces([]))
  }, [daikon])

  const current = workspaces.find(({ id }) => id === workspace.id)
  if (workspaces.length < 2) return <span className="workspace">{current?.name}</span>
  return (
    <select
      className="workspace"
      aria-label="Workspace"
      value={workspace.id}
      onChange={({ target }) => daikon.switchWorkspace(target.value).catch(showError)}
    >
      {workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

export function Avatar({ name }: { name: string }) {
  return (
    <span className="avatar" aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
