import test from 'ava'
import { startMockMailbox } from '../../src/dev/mock-mailbox.ts'
import { displayCode, drawCode, readCode } from '../../src/email-sign-in/code.ts'
import { renderCodeMail } from '../../src/email-sign-in/code-mail.ts'
import { findEmailMistakes } from '../../src/email-sign-in/setting-rules.ts'
import { createMailClient } from '../../src/outbound/mail-client.ts'

test('a mail shows the code and names the host, and browsers fill it in by the last line', (t) => {
  const mail = renderCodeMail('ann@example.com', '01234567', 'https://id.example.com:8443')
  t.is(mail.subject, '0123 4567 is your sign-in code for id.example.com:8443')
  t.is(mail.text.split('\n').at(-1), '@id.example.com #01234567')
  t.regex(mail.text, /0123 4567/)
  t.regex(mail.html, />0123 4567</)
  t.regex(mail.html, />@id\.example\.com #01234567<\/p>\n<\/main>/)
  for (const content of [mail.text, mail.html]) {
    t.regex(content, /Never type this anywhere else/)
    t.regex(content, /id\.example\.com:8443/)
    t.notRegex(content, /https?:|href|src=|<img/)
  }
})

test('an address is the only recipient, whatever it contains', async (t) => {
  const mailbox = await startMockMailbox()
  t.teardown(() => mailbox.close())
  const { SMTP_URL, SMTP_FROM } = mailbox.environment
  const send = createMailClient(SMTP_URL, SMTP_FROM)
  for (const to of ["o'brien+=?utf-8?q?x?=@example.com", 'a{b}|c@example.com'])
    await send(renderCodeMail(to, drawCode(), 'https://id.example.com'))
  t.deepEqual(
    mailbox.mails.map(({ to }) => to?.map(({ address }) => address)),
    [["o'brien+=?utf-8?q?x?=@example.com"], ['a{b}|c@example.com']],
  )
  t.true(
    mailbox.mails.every(({ subject }) => /^\d{4} \d{4} is your sign-in code/.test(subject ?? '')),
  )
  for (const mail of mailbox.mails) {
    const text = (mail.text ?? '').trimEnd()
    t.regex(text.split('\n').at(-1) ?? '', /^@id\.example\.com #\d{8}$/)
  }
})

test('codes are drawn from all eight digits, and read with spaces', (t) => {
  const codes = new Set(Array.from({ length: 1000 }, drawCode))
  t.true(codes.size > 990)
  for (const code of codes) {
    t.regex(code, /^\d{8}$/)
    t.is(readCode(displayCode(code)), code)
  }
  t.true([...codes].some((code) => code.startsWith('0')))
})

test('the method email needs a mail server', (t) => {
  t.deepEqual(findEmailMistakes({ SIGN_IN_METHODS: ['email'], SMTP_URL: '' }), [
    'SIGN_IN_METHODS lists email, so SMTP_URL must be set',
  ])
  t.deepEqual(findEmailMistakes({ SIGN_IN_METHODS: ['email'], SMTP_URL: 'smtp://a' }), [])
  t.deepEqual(findEmailMistakes({ SIGN_IN_METHODS: [], SMTP_URL: '' }), [])
})
