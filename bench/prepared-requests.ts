import { readFileSync, writeFileSync } from 'node:fs'

/**
 * A prepared request and the expected response message; an empty message accepts any response.
 * `head` is the HEADERS frame or the HTTP/1.1 headers.
 */
export type PreparedRequest = { head: Buffer; body: Buffer; expected: Buffer }

/** Writes requests to a file, one per line. Omits a head that equals the previous one. */
export function writePreparedRequests(file: string, requests: PreparedRequest[]): void {
  let last: Buffer | undefined
  const lines = requests.map(({ head, body, expected }) => {
    const same = last?.equals(head)
    last = head
    return [same ? '' : base64(head), base64(body), base64(expected)].join(' ')
  })
  writeFileSync(file, lines.join('\n'))
}

/** Reads a file written by `writePreparedRequests`. */
export function readPreparedRequests(file: string): PreparedRequest[] {
  let head = Buffer.alloc(0)
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      const [own = '', body = '', expected = ''] = line.split(' ')
      if (own) head = Buffer.from(own, 'base64')
      return { head, body: Buffer.from(body, 'base64'), expected: Buffer.from(expected, 'base64') }
    })
}

/** Whether a response is the expected one. */
export function isExpected(message: Buffer, expected: Buffer): boolean {
  return expected.length === 0 ? message.length > 0 : message.equals(expected)
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64')
}
