import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { renderThemeStyle } from './theme-style.ts'

const themeStyle = 'virtual:theme.css'

/**
 * On each key and click in a select or the palette, Mantine looks into every element of the page for shadow
 * roots. The console has none, and long lists have 15,000 elements.
 */
const withoutShadowRoots: Plugin = {
  name: 'without-shadow-roots',
  transform(code, id) {
    if (!/find-element-in-shadow-dom\.mjs$|spotlight\.store\.mjs$/.test(id)) return undefined
    const search = /(const allElements|const children) = root[^;]+;/g
    if (!search.test(code)) throw new Error(`${id} no longer searches shadow roots as expected`)
    return code.replace(search, '$1 = [];')
  },
}

// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // Inlined assets would be `data:` URLs, which the content security policy blocks for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [
    react(),
    withoutShadowRoots,
    {
      // The variables of the theme are a stylesheet, because the content security policy forbids inline styles.
      name: 'theme-style',
      resolveId: (id) => (id === themeStyle ? `\0${themeStyle}` : undefined),
      load: (id) => (id === `\0${themeStyle}` ? renderThemeStyle() : undefined),
    },
  ],
  server: { port: 9004, strictPort: true },
})
