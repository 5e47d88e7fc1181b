/**
 * Reads the path of a request target in origin form (RFC 9112, section 3.2.1): returns its segments,
 * percent-decoded once. The query is ignored. Returns undefined if a gateway and an application
 * could read the path differently.
 * See docs/decisions/gateways.md#encoding-of-paths.
 *
 * @example
 * readRequestPath('/documents/annual%20report?page=2') // ['documents', 'annual report']
 */
export function readRequestPath(target: string): string[] | undefined {
  const [path = ''] = target.split('?', 1)
  if (path === '/') return []
  if (!path.startsWith('/') || unsafeCharacter.test(path)) return undefined
  const segments: string[] = []
  for (const encoded of path.slice(1).split('/')) {
    const segment = decodeSegment(encoded)
    if (segment === undefined || isAmbiguous(segment)) return undefined
    segments.push(segment)
  }
  return segments
}

/**
 * Characters that a request target never contains unencoded, or that some servers treat specially:
 * `#` begins a fragment, and `;` parameters that are not part of the segment.
 */
const unsafeCharacter = /[^!-~]|[#;\\]/

/** Characters that are ambiguous even if they are encoded. */
const ambiguousCharacter = /[/;\\]|\p{Cc}/u

/** What an application that decodes twice would read as one of these characters, or as a dot. */
const doubleEncoding = /%(2e|2f|3b|5c|[01][0-9a-f]|7f)/i

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    // Invalid percent-encoding or UTF-8.
    return undefined
  }
}

/** Whether a decoded segment could be something else for another server. */
export function isAmbiguous(segment: string): boolean {
  return (
    segment === '' ||
    segment === '.' ||
    segment === '..' ||
    ambiguousCharacter.test(segment) ||
    doubleEncoding.test(segment)
  )
}
