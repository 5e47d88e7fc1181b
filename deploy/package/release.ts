import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run release -- <version>` prepares a release in a clean work tree: the version in every
 * package and in the commands of the documentation, the heading in CHANGELOG.md, a commit, and a
 * tag for the server and one for the Go module. Push all of them to publish.
 *
 * `npm run release -- --packages <folder>` writes the packages of the server and the clients, an
 * SBOM (CycloneDX), the notes of the version and SHA-256 checksums.
 */
const root = join(import.meta.dirname, '../..')

/** Where each file states the version, apart from package.json and its lock file. */
const versionPatterns: Record<string, RegExp> = {
  'clients/browser/package.json': /(?<=^ {2}"version": ")[^"]+/m,
  'clients/java/README.md': /(?<=<version>)[^<]+/,
  'clients/java/pom.xml': /(?<=^ {2}<version>)[^<]+/m,
  'clients/python/pyproject.toml': /(?<=^version = ")[^"]+/m,
  'clients/typescript/package.json': /(?<=^ {2}"version": ")[^"]+/m,
  'clients/README.md': /(?<=auth[-_](?:client|browser)-)\d+\.\d+\.\d+(?:-[\w.]+?)?(?=\.tgz|-py3)/g,
  'deploy/helm/daikon/Chart.yaml': /(?<=^(?:version|appVersion): ).*$/gm,
  'examples/documents-spring/pom.xml': /(?<=>daikon-client<\/artifactId>\s+<version>)[^<]+/,
  'docs/kubernetes.md': /(?<=registry\.example\.com\/daikon:)\S+/g,
}

const [first = '', second = 'release'] = process.argv.slice(2)
if (first === '--packages') createPackages(join(root, second))
else prepare(first)

function prepare(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) fail('Usage: npm run release -- <version>')
  if (run('git', 'status', '--porcelain') !== '')
    fail('The work tree has changes: commit them first')
  const changelog = read('CHANGELOG.md')
  if (!/^## Unreleased\n+###/m.test(changelog)) fail('CHANGELOG.md has no entries under Unreleased')
  const date = new Date().toISOString().slice(0, 10)
  write(
    'CHANGELOG.md',
    changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`),
  )
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version')
  for (const [path, pattern] of Object.entries(versionPatterns)) {
    const text = read(path)
    if (text.search(pattern) < 0) fail(`${path} does not state a version`)
    write(path, text.replace(pattern, version))
  }
  run('git', 'commit', '--all', '--message', `Release ${version}`)
  // Go finds the versions of a module in a subfolder by tags that begin with the folder.
  const tags = [`v${version}`, `clients/go/v${version}`]
  for (const tag of tags) run('git', 'tag', '--annotate', tag, '--message', `Release ${version}`)
  process.stdout.write(`Tagged ${tags.join(' and ')}. Publish with: git push --follow-tags\n`)
}

function createPackages(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  run('npm', 'run', 'build')
  for (const source of ['./dist', './clients/typescript', './clients/browser'])
    run('npm', 'pack', source, '--pack-destination', folder)
  run('python3', '-m', 'pip', 'wheel', '--no-deps', '--wheel-dir', folder, './clients/python')
  const sbom = run('npm', 'sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx')
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom)
  const { version } = JSON.parse(read('package.json'))
  writeFileSync(join(folder, 'notes.md'), readNotes(version))
  const checksums = readdirSync(folder).map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)))
    return `${hash.digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''))
  process.stdout.write(checksums.join(''))
}

/** The section of a version in the changelog; before its release, the unreleased one. */
function readNotes(version: string): string {
  const sections = read('CHANGELOG.md').split(/^## /m)
  const section =
    sections.find((text) => text.startsWith(`${version} `)) ??
    sections.find((text) => text.startsWith('Unreleased'))
  return section?.replace(/^.*\n+/, '') ?? ''
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text)
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
