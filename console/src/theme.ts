import { createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'leaf',
  // The darkest shades, so that white text on them has a contrast of at least 4.5.
  primaryShade: { light: 9, dark: 8 },
  colors: {
    leaf: [
      '#effaf4',
      '#dcf2e6',
      '#b5e3cb',
      '#8bd3ad',
      '#4fc98a',
      '#3db87a',
      '#2aa268',
      '#1f8a56',
      '#187a4a',
      '#14703f',
    ],
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The first item gets the focus. A placeholder is not allowed in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // The header of a dialog would otherwise be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
})
