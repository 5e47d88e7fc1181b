import { createTransport } from 'nodemailer'

/** An e-mail as plain text and as HTML. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** Sends an e-mail. Rejects if the mail server does not accept it. */
export type SendMail = (mail: Mail) => Promise<void>

/** Milliseconds to wait for a connection, and for each answer of the mail server. */
const timeout = 10_000

/** Creates the client of a mail server: an `smtp` or `smtps` URL, which may contain credentials. */
export function createMailClient(url: string, from: string): SendMail {
  const transport = createTransport(
    {
      url,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // Mail servers of others then answer neither with a notice of absence nor to a list.
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return async ({ to, subject, ...mail }) => {
    // A text would be parsed as a list of recipients.
    const recipient = { name: '', address: to }
    await transport.sendMail({ ...mail, subject: encodeSubject(subject), to: recipient })
  }
}

/** The characters of an encoded word, which is at most 75 long (RFC 2047, 2): 4 bytes each. */
const charactersInWord = 11

/**
 * Encodes a subject that contains what looks like an encoded word, which the recipient's program
 * would decode: to line breaks, or to characters that reverse the text. All other subjects are
 * encoded by nodemailer where necessary.
 */
function encodeSubject(subject: string): string {
  if (!subject.includes('=?')) return subject
  const characters = [...subject]
  const words: string[] = []
  for (let start = 0; start < characters.length; start += charactersInWord) {
    const part = characters.slice(start, start + charactersInWord).join('')
    words.push(`=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
  }
  return words.join(' ')
}
