import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { renderThemeStyle } from './theme-style.ts'

const themeStyle = 'virtual:theme.css'

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
    {
      // The variables of the theme are a stylesheet, because the content security policy forbids inline styles.
      name: 'theme-style',
      resolveId: (id) => (id === themeStyle ? `\0${themeStyle}` : undefined),
      load: (id) => (id === `\0${themeStyle}` ? renderThemeStyle() : undefined),
    },
  ],
  server: { port: 9004, strictPort: true },
})
