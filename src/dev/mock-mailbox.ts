import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { escapeHtml } from '../core/escape-html.ts'
import { startLocalServer } from './local-server.ts'
import { pageHeaders, sendPage } from './pages.ts'

/** A mail server that delivers nothing: its page displays the e-mails of all people. */
export type MockMailbox = {
  /** The URL of the page. */
  url: string
  /** The environment variables that make daikon send to the mailbox. */
  environment: Record<'SMTP_URL' | 'SMTP_FROM', string>
  /** The received e-mails, oldest first. */
  mails: readonly Email[]
  close(): Promise<void>
}

/** The number of e-mails that the mailbox keeps. */
const maxMails = 1000

/**
 * Starts a mail server and its page on 127.0.0.1, for development and tests. Port 0 picks a free
 * port for the page.
 */
export async function startMockMailbox({ port = 0 } = {}): Promise<MockMailbox> {
  const mails: Email[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, callback) {
      PostalMime.parse(ReadableStream.from(stream) as ReadableStream<Uint8Array>).then((mail) => {
        mails.push(mail)
        if (mails.length > maxMails) mails.shift()
        callback()
      }, callback)
    },
  })
  await new Promise<void>((resolve, reject) => {
    smtp.once('error', reject)
    smtp.listen(0, '127.0.0.1', resolve)
  })
  const page = await startLocalServer(port, (request, response) => show(mails, request, response))
  const smtpPort = (smtp.server.address() as AddressInfo).port
  return {
    url: page.url,
    environment: {
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      SMTP_FROM: 'daikon <no-reply@example.com>',
    },
    mails,
    async close() {
      await page.close()
      await new Promise<void>((resolve) => smtp.close(resolve))
    },
  }
}

function show(mails: Email[], request: IncomingMessage, response: ServerResponse): void {
  const [, number, isText] = /^\/(\d{1,6})(\.txt)?$/.exec(request.url ?? '') ?? []
  if (number === undefined) {
    sendPage(response, 200, 'Mailbox', renderList(mails))
    return
  }
  const mail = mails[Number(number) - 1]
  if (!mail) {
    sendPage(response, 404, 'Not found', '')
    return
  }
  const textHeaders = { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' }
  response.writeHead(200, isText ? textHeaders : pageHeaders).end(isText ? mail.text : mail.html)
}

function renderList(mails: Email[]): string {
  if (mails.length === 0)
    return '<p>No e-mails yet. The mailbox receives what daikon sends, whomever it is for.</p>'
  const items = mails.map(({ subject = '', to = [] }, index) => {
    const people = to.map(({ address }) => address ?? '').join(', ')
    const text = `<a href="/${index + 1}.txt">text</a>`
    return `<li><a href="/${index + 1}">${escapeHtml(subject)}</a><br><span>to ${escapeHtml(people)}, as ${text}</span></li>`
  })
  return `<ul>${items.reverse().join('\n')}</ul>`
}
