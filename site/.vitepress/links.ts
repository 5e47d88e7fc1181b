import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer, SiteConfig } from 'vitepress'
import { pages, root, toSite } from './pages.ts'

export const repository = 'https://github.com/daikon-auth/daikon'

/**
 * Links of the pages lead to files of the repository. In the site, they lead to its pages or, for
 * other files, to the code host. Throws if a file does not exist.
 */
export function rewriteLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository links', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? [])
    for (const link of links) {
      const href = link.type === 'link_open' && link.attrGet('href')
      if (href) link.attrSet('href', rewrite(decodeURI(href), env))
    }
  })
}

function rewrite(href: string, { realPath, path }: MarkdownEnv): string {
  const source = realPath ?? path
  const local = href.startsWith(`${repository}/blob/main/`)
    ? join(root, href.slice(`${repository}/blob/main/`.length))
    : /^[a-z]+:|^#/.test(href)
      ? undefined
      : resolve(dirname(source), href)
  if (local === undefined) return href
  const [file = '', anchor] = relative(root, local).split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = [file, join(file, 'README.md')].find((name) => pages.includes(name))
  if (page) return `/${toSite(page)}${hash}`
  if (!existsSync(join(root, file))) throw new Error(`${relative(root, source)}: no file ${href}`)
  const kind = statSync(join(root, file)).isDirectory() ? 'tree' : 'blob'
  return `${repository}/${kind}/main/${file}${hash}`
}

/** Throws if a link within the site names an anchor that its page does not have. VitePress checks the pages. */
export function checkAnchors({ outDir, site }: SiteConfig): void {
  const html = new Map(
    globSync('**/*.html', { cwd: outDir }).map((path) => [
      path,
      readFileSync(join(outDir, path), 'utf8'),
    ]),
  )
  const broken = [...html].flatMap(([path, text]) =>
    [...text.matchAll(/ href="([^":#]*)#([^"]+)"/g)]
      .filter(([, target = '', anchor = '']) => {
        const page = target ? target.slice(site.base.length) : path
        const linked = html.get(page.replace(/(^|\/)$/, '$1index.html'))
        return !linked?.includes(` id="${anchor}"`)
      })
      .map(([link]) => `${path}:${link}`),
  )
  if (broken.length > 0) throw new Error(`Links without a target:\n${broken.join('\n')}`)
}
