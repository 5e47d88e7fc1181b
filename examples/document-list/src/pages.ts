import type { Share } from '@daikon-auth/client'
import { type Document, type List, maxCount, type Sort } from './documents.ts'
import { type Html, html } from './html.ts'

const sorts: Record<Sort, string> = { newest: 'Newest', title: 'Title' }

/** A page on which a person is chosen, in place of a sign-in. */
export function renderPeople(people: string[]): string {
  return renderPage(
    'Documents',
    html`<main class="narrow">
      <h1>Documents</h1>
      <p class="muted">Choose a person to see their list. This stands in for a sign-in.</p>
      <form method="post" action="/person" class="people">
        ${people.map(
          (email) => html`<button name="person" value="${email}">
            ${renderAvatar(email)} <span><b>${nameOf(email)}</b> <small>${email}</small></span>
          </button>`,
        )}
      </form>
    </main>`,
  )
}

/** The documents that a person may view. */
export function renderList({
  people,
  person,
  list,
  count,
  documents,
  hasNext,
}: {
  people: string[]
  person: string
  list: List
  count: number
  documents: (Document & { certain: boolean })[]
  hasNext: boolean
}): string {
  const { sort, search, page } = list
  return renderPage(
    'Documents',
    html`${renderHeader(people, person)}
    <main>
      <div class="title">
        <h1>Documents</h1>
        <form method="post" action="/documents" class="new">
          <input name="title" aria-label="Title of a new document" placeholder="Title of a new document"
            required maxlength="200" autocomplete="off">
          <button class="primary">Create</button>
        </form>
      </div>
      <div class="tools">
        <form role="search" action="/">
          <input type="hidden" name="sort" value="${sort}">
          <input type="search" name="q" value="${search}" aria-label="Search titles"
            placeholder="Search titles" maxlength="100">
          <button>Search</button>
        </form>
        <nav aria-label="Order" class="choice">
          ${(Object.keys(sorts) as Sort[]).map(
            (name) =>
              html`<a href="${urlOf({ ...list, sort: name, page: 1 })}"${
                name === sort && html` aria-current="true"`
              }>${sorts[name]}</a>`,
          )}
        </nav>
      </div>
      <p class="count">${describeCount(count, search)}${
        documents.some(({ certain }) => !certain) && ', not counting those with a condition'
      }</p>
      ${documents.length > 0 ? renderTable(documents) : renderEmpty(list, hasNext)}
      ${
        (page > 1 || hasNext) &&
        html`<nav aria-label="Pages" class="pages">
          ${
            page > 1
              ? html`<a href="${urlOf({ ...list, page: page - 1 })}" rel="prev">Previous</a>`
              : html`<span></span>`
          }
          <span>Page ${page}</span>
          ${
            hasNext
              ? html`<a href="${urlOf({ ...list, page: page + 1 })}" rel="next">Next</a>`
              : html`<span></span>`
          }
        </nav>`
      }
    </main>`,
  )
}

function renderTable(documents: (Document & { certain: boolean })[]): Html {
  return html`<table>
    <thead><tr><th>Title</th><th>Author</th><th>Changed</th></tr></thead>
    <tbody>
      ${documents.map(
        ({ id, title, author, updated_at, certain }) => html`<tr>
          <td><a href="/documents/${id}">${title}</a>${
            !certain &&
            html` <small class="badge" title="Shared with a condition, which a check has confirmed">condition</small>`
          }</td>
          <td>${nameOf(author)}</td>
          <td>${renderDate(updated_at)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`
}

function renderEmpty({ search, page }: List, hasNext: boolean): Html {
  if (page > 1 || hasNext) return html`<p class="empty">No documents on this page.</p>`
  if (search)
    return html`<p class="empty">No title contains “${search}”. <a href="/">Show all</a></p>`
  return html`<p class="empty">You have no documents yet. Create one, or ask for a share.</p>`
}

/** A document, and for those who may share it, with whom it is shared. */
export function renderDocument({
  people,
  person,
  document,
  shares,
}: {
  people: string[]
  person: string
  document: Document
  shares: Share[] | undefined
}): string {
  const { id, title, author, updated_at } = document
  return renderPage(
    title,
    html`${renderHeader(people, person)}
    <main class="narrow">
      <p><a href="/">All documents</a></p>
      <h1>${title}</h1>
      <p class="muted">${nameOf(author)}, ${renderDate(updated_at)}</p>
      ${
        shares
          ? html`<section>
            <h2>Sharing</h2>
            ${
              shares.length > 0
                ? html`<ul>${shares.map((share) => renderShare(id, share))}</ul>`
                : html`<p class="muted">Not shared yet.</p>`
            }
            <form method="post" action="/documents/${id}/shares" class="share">
              <label><span>Person</span> <select name="email">
                ${people
                  .filter((email) => email !== author)
                  .map((email) => html`<option value="${email}">${nameOf(email)}</option>`)}
              </select></label>
              <label><span>May</span> <select name="permission">
                <option value="view">view</option><option value="edit">edit</option>
              </select></label>
              <label><span>From <small class="muted">(optional)</small></span> <input type="date" name="from"></label>
              <button class="primary">Share</button>
            </form>
          </section>`
          : html`<p class="note">You may view this document, but not share it.</p>`
      }
    </main>`,
  )
}

function renderShare(id: string, { grantee, granteeEmail, permission, condition }: Share): Html {
  const userId = 'userId' in grantee ? grantee.userId : undefined
  const from = condition?.name === 'not_before' ? String(condition.params?.time) : undefined
  return html`<li>
    <span><b>${nameOf(granteeEmail ?? 'a group')}</b> may ${permission ?? 'act in a role'}${
      from && html` from ${renderDate(new Date(from))}`
    }</span>
    ${
      userId &&
      html`<form method="post" action="/documents/${id}/shares/revoke">
        <button name="user_id" value="${userId}">Revoke</button>
      </form>`
    }
  </li>`
}

export function renderError(status: number, message: string): string {
  return renderPage(
    `Error ${status}`,
    html`<main class="narrow">
      <p class="muted">Error ${status}</p>
      <h1>${message}</h1>
      <p><a href="/" class="button">To the documents</a></p>
    </main>`,
  )
}

function renderHeader(people: string[], person: string): Html {
  return html`<header>
    <a href="/" class="brand">document-list</a>
    <form method="post" action="/person" class="choice" aria-label="Person">
      ${people.map(
        (email) =>
          html`<button name="person" value="${email}" title="${email}"${
            email === person && html` aria-current="true"`
          }>${nameOf(email)}</button>`,
      )}
    </form>
  </header>`
}

function renderPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
${body}
</html>
`.text
}

function renderAvatar(email: string): Html {
  return html`<i aria-hidden="true">${nameOf(email).slice(0, 1)}</i>`
}

function renderDate(date: Date): Html {
  const text = date.toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  return html`<time datetime="${date.toISOString()}">${text}</time>`
}

/** Returns `Alice` for `alice@example.com`. */
function nameOf(email: string): string {
  const [name = ''] = email.split('@')
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function describeCount(count: number, search: string): string {
  const number = count > maxCount ? `${maxCount.toLocaleString('en')}+` : String(count)
  return `${number} ${count === 1 ? 'document' : 'documents'}${search && ` with “${search}”`}`
}

function urlOf({ sort, search, page }: List): string {
  const query = new URLSearchParams({
    ...(sort !== 'newest' && { sort }),
    ...(search && { q: search }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size > 0 ? `/?${query}` : '/'
}
