import { readFileSync, writeFileSync } from 'node:fs'

/**
 * A request made beforehand and the message that has to come back; any will do where that is empty.
 * `head` is what precedes the body on the wire: a HEADERS frame, or the lines of HTTP/1.1.
 */
export type Prepared = { head: Buffer; body: Buffer; expected: Buffer }

/** Writes requests to a file, a line each; a head like the one before is left out. */
export function writePrepared(file: string, requests: Prepared[]): void {
  let last: Buffer | undefined
  const lines = requests.map(({ head, body, expected }) => {
    const same = last?.equals(head)
    last = head
    return [same ? '' : base64(head), base64(body), base64(expected)].join(' ')
  })
  writeFileSync(file, lines.join('\n'))
}

/** Reads what `writePrepared` wrote. */
export function readPrepared(file: string): Prepared[] {
  let head = Buffer.alloc(0)
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      const [own = '', body = '', expected = ''] = line.split(' ')
      if (own) head = Buffer.from(own, 'base64')
      return { head, body: Buffer.from(body, 'base64'), expected: Buffer.from(expected, 'base64') }
    })
}

/** Whether this is the answer that had to come. */
export function fits(answer: Buffer, expected: Buffer): boolean {
  return expected.length === 0 ? answer.length > 0 : answer.equals(expected)
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64')
}
