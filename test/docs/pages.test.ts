import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'ava'
import { invalidArgument } from '../../src/core/errors.ts'
import { toProblem } from '../../src/rpc/problem.ts'
import { pages, renderPage } from '../../tools/generate-docs.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

for (const path of pages) {
  test(`the generated tables of ${path} are up to date`, async (t) => {
    t.is(await renderPage(path), read(path), 'run `npm run generate`')
  })

  test(`every relative link of ${path} resolves`, (t) => {
    const links = [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    const broken = links.filter(([, target = '']) => !resolves(path, target))
    t.deepEqual(
      broken.map(([, target]) => target),
      [],
    )
  })

  test(`${path} avoids listed phrases and cites no documents outside the repository`, (t) => {
    const [phrase] = avoidedPhrases.exec(withoutTables(withoutCode(read(path)))) ?? []
    t.is(phrase, undefined)
  })
}

test('the example of a problem in docs/api.md is what the server sends', (t) => {
  const [, example = ''] = /```json\n(\{\n {2}"type"[^`]*)```/.exec(read('docs/api.md')) ?? []
  const problem = JSON.parse(example)
  const sent = toProblem(invalidArgument(...problem.errors), problem.request_id)
  t.deepEqual(problem, JSON.parse(JSON.stringify(sent)))
})

test('the README is shorter than 9,000 bytes and links to every page', (t) => {
  const readme = read('README.md')
  t.true(Buffer.byteLength(readme) < 9000)
  for (const path of pages)
    if (path !== 'README.md' && !isDecisions(path)) t.true(readme.includes(`](${path})`), path)
  t.true(readme.includes('](docs/decisions/README.md)'))
})

test('the index of the decisions links to every page', (t) => {
  const index = read('docs/decisions/README.md')
  const areas = pages.filter(isDecisions).map((path) => basename(path))
  for (const name of areas) if (name !== 'README.md') t.true(index.includes(`](${name})`), name)
})

test('links of the code to decisions resolve', (t) => {
  const files = globSync('{src,clients,console,tools}/**/*.{ts,tsx,py,go,java}', {
    cwd: root,
    exclude: (name) => /node_modules|dist/.test(name),
  })
  const links = files.flatMap((file) =>
    [...read(file).matchAll(/docs\/decisions\S*\.md(?:#[\w-]+)?/g)].map(([link]) => [file, link]),
  )
  const broken = links.filter(([, link = '']) => !resolves('README.md', link))
  t.true(links.length > 0)
  t.deepEqual(broken, [])
})

test('the landing page has the commands of the README and the figures of docs/comparison.md', (t) => {
  const landing = read('site/index.md')
  const commands = [...landing.matchAll(/^```sh\n([\s\S]*?)```$/gm)].map(([, block = '']) => block)
  for (const line of commands.join('').split('\n')) t.true(read('README.md').includes(line), line)
  const rowsOf = (text: string) =>
    [...text.replaceAll('**', '').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
      row.split(' | '),
    )
  const measured = rowsOf(read('docs/comparison.md'))
  const [, , ...rows] = rowsOf(landing)
  t.is(commands.length, 2)
  t.is(rows.length, 5)
  for (const [name, rate, ...ratios] of rows) {
    const [, calls = '', , spicedb, , openfga, cached] =
      measured.find(([row]) => row === name) ?? []
    t.deepEqual([rate, ...ratios], [calls.split(',').slice(0, -1).join(), spicedb, openfga, cached])
  }
})

test('docs/applications.md shows the configurations in examples/gateway', (t) => {
  const page = read('docs/applications.md')
  for (const name of ['nginx.conf', 'Caddyfile', 'envoy.yaml'])
    t.true(page.includes(`\n${read(`examples/gateway/${name}`)}\`\`\`\n`), name)
})

test('every guarantee of SECURITY.md links to a test, and every link resolves', (t) => {
  const [, guarantees = ''] = read('SECURITY.md').split(/^## (?:Guarantees|Configuration.*)$/m)
  const rows = guarantees.split('\n').filter((line) => /^\| (?!Guarantee|---)/.test(line))
  t.true(rows.length > 20)
  for (const row of rows) t.regex(row, /\]\(test\/[a-z/-]+\.test\.ts\)/)
  const links = [...read('SECURITY.md').matchAll(/\]\(([^)\s]+)\)/g)]
  const broken = links.filter(([, target = '']) => !resolves('SECURITY.md', target))
  t.deepEqual(broken, [])
})

test('pages name only settings, error reasons and gRPC statuses that exist', (t) => {
  const known = new Set(
    ['docs/configuration.md', 'docs/api.md']
      .flatMap((path) => read(path).split('<!-- generated').slice(1))
      .flatMap((text) => text.match(/`[A-Z][A-Z_]+`/g) ?? []),
  )
  for (const path of pages)
    for (const [name] of withoutCode(read(path)).matchAll(/`[A-Z]+_[A-Z_]+`/g))
      t.true(known.has(name), `${path} names ${name}`)
})

/** Phrases that the documentation avoids, and references to documents outside the repository. */
const avoidedPhrases = new RegExp(
  [
    'specification \\d',
    'contract\\.md',
    'hears? of',
    'meanwhile',
    'anew',
    'whoever',
    'somebody',
    'nobody',
    'of ours',
    'at the least',
    'for good',
    'what is asked',
    'inside door',
    'outside door',
    'use case',
  ]
    .map((phrase) => `\\b${phrase}\\b`)
    .join('|'),
  'i',
)

function resolves(path: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true
  const [file = '', anchor] = target.split('#')
  const linked = file ? join(dirname(path), file) : path
  if (!existsSync(join(root, linked))) return false
  return anchor === undefined || anchorsOf(linked).includes(anchor)
}

function isDecisions(path: string): boolean {
  return path.startsWith('docs/decisions/')
}

/** Removes the generated tables. */
function withoutTables(text: string): string {
  return text.replace(/<!-- generated[\s\S]*?<!-- end -->/g, '')
}

/** Removes the code blocks. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '')
}

/** Returns the anchors that GitHub generates for the headings of a page. */
function anchorsOf(path: string): string[] {
  return [...withoutCode(read(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
