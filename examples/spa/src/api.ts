import { daikon, daikonUrl } from './daikon.ts'

export type TextDocument = { id: string; title: string; text: string; updatedAt: string }

export type Permission = 'view' | 'edit'

/** The owner of a document, and the permissions of the users whom it is shared with. */
export type Shares = { ownerId: string; permissions: Record<string, Permission> }

/** A member of a workspace, as daikon returns it. */
export type Member = { user_id: string; email: string; name: string; role: string; status: string }

/** The resource of a document in daikon. */
export function toResource({ id }: { id: string }) {
  return { type: 'document', id }
}

export function listDocuments(): Promise<TextDocument[]> {
  return send('GET', '/api/documents')
}

export function saveDocument({ id, title, text }: Partial<TextDocument>): Promise<TextDocument> {
  const body = { title, text }
  return id ? send('PUT', `/api/documents/${id}`, body) : send('POST', '/api/documents', body)
}

export function listShares(id: string): Promise<Shares> {
  return send('GET', `/api/documents/${id}/shares`)
}

export async function setShare(id: string, userId: string, permission: Permission | 'none') {
  const path = `/api/documents/${id}/shares/${userId}`
  if (permission === 'none') await send('DELETE', path)
  else await send('PUT', path, { permission })
}

/** Browsers may call daikon, too: with the access token, for what the user may see. */
export function listMembers(workspaceId: string): Promise<Member[]> {
  return send('GET', `${daikonUrl}/workspaces/${workspaceId}/members`)
}

/** Sends a request for the user; after a 401, once more with another access token. */
async function send<Result>(method: string, url: string, body?: object): Promise<Result> {
  let response = await sendOnce(method, url, body, false)
  if (response.status === 401) response = await sendOnce(method, url, body, true)
  const text = await response.text()
  const content = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw new Error(content?.detail ?? `The request failed: ${response.status}`)
  return content
}

async function sendOnce(
  method: string,
  url: string,
  body: object | undefined,
  forceRefresh: boolean,
) {
  const token = await daikon.getAccessToken({ forceRefresh })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(url, { method, headers, body: body ? JSON.stringify(body) : null })
}
