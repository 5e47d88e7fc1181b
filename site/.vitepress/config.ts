import { defineConfig } from 'vitepress'
import { checkAnchors, repository, rewriteLinks } from './links.ts'
import { createSidebars, otherFiles, toSite } from './pages.ts'

const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='9' fill='#14703f'/><path d='M11 8h4.6c5 0 8.2 3.1 8.2 8s-3.2 8-8.2 8H11z' fill='none' stroke='#fff' stroke-width='3' stroke-linejoin='round'/></svg>"
const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`

// biome-ignore lint/style/noDefaultExport: VitePress requires it.
export default defineConfig({
  title: 'daikon',
  description:
    'Sign-in, workspaces and permissions from one server that needs only PostgreSQL, over gRPC and REST.',
  lang: 'en-GB',
  head: [['link', { rel: 'icon', href: iconUrl }]],
  srcDir: '..',
  srcExclude: otherFiles,
  rewrites: toSite,
  outDir: 'dist',
  markdown: {
    // The anchors of the code host.
    anchor: {
      slugify: (title) =>
        title
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
    },
    languageAlias: { caddyfile: 'nginx' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: rewriteLinks,
  },
  buildEnd: checkAnchors,
  ignoreDeadLinks: 'localhostLinks',
  vite: {
    // The index of the search.
    build: { chunkSizeWarningLimit: 2000 },
    plugins: [
      {
        // The pages are outside the folder with the packages.
        name: 'packages of pages',
        enforce: 'pre',
        resolveId(id, _importer, { ssr }) {
          if (!/^vue(\/|$)/.test(id)) return undefined
          return ssr
            ? { id, external: true }
            : this.resolve(id, import.meta.filename, { skipSelf: true })
        },
      },
    ],
  },
  themeConfig: {
    logo: iconUrl,
    search: { provider: 'local' },
    nav: [
      { text: 'Quick start', link: '/start' },
      { text: 'Permission model', link: '/docs/permission-model' },
      { text: 'API', link: '/docs/api' },
      { text: 'Comparison', link: '/docs/comparison' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: createSidebars(),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
    notFound: { quote: 'The page may have moved. The search finds it.', linkText: 'Home' },
    footer: { message: 'Apache License 2.0' },
  },
})
