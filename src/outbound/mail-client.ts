import { createTransport } from 'nodemailer'

/** An e-mail as plain text and as HTML. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** The mail server refuses an e-mail permanently (RFC 5321, 4.2.1), so that sending it again is of no use. */
export class MailRefused extends Error {
  /** The reply code and the enhanced status code (RFC 3463) if there is one, such as `550 5.1.1`. */
  readonly status: string

  constructor(status: string, cause: Error) {
    super(cause.message, { cause })
    this.name = 'MailRefused'
    this.status = status
  }
}

export const mailFailure = 'Sending an e-mail failed'

/** Sends an e-mail. Rejects if the mail server does not accept it, with MailRefused if it never will. */
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
    try {
      await transport.sendMail({ ...mail, subject: encodeSubject(subject), to: recipient })
    } catch (error) {
      throw toRefusal(error as SmtpError) ?? error
    }
  }
}

/** An error of nodemailer. */
type SmtpError = Error & { code?: string; responseCode?: number; response?: string }

/** The replies that the operator can cure: the server asks for other credentials (RFC 4954, 6). */
const credentialReplies = [530, 534, 535, 538]

/**
 * Returns the refusal of one e-mail, its sender or its recipient. A server that refuses the connection or
 * the credentials may accept the e-mail later.
 */
function toRefusal(error: SmtpError): MailRefused | undefined {
  const { code, responseCode = 0, response = '' } = error
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return undefined
  if (responseCode < 500 || responseCode > 599 || credentialReplies.includes(responseCode))
    return undefined
  const [, enhanced] = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(response) ?? []
  return new MailRefused(enhanced ? `${responseCode} ${enhanced}` : `${responseCode}`, error)
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
