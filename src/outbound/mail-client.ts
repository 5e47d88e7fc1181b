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
  return async ({ to, ...mail }) => {
    // A text would be parsed as a list of recipients.
    await transport.sendMail({ ...mail, to: { name: '', address: to } })
  }
}
