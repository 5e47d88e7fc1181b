import {
  type CSSVariablesResolver,
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core'
import { theme } from './src/theme.ts'

/** Renders the variables of the theme as a stylesheet. */
export function renderThemeStyle(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme)
  const { variables, light, dark } = defaultCssVariablesResolver(merged)
  return convertCssVariables(
    {
      variables,
      light: { '--mantine-color-scheme': 'light', ...light, ...ownVariables.light },
      dark: { '--mantine-color-scheme': 'dark', ...dark, ...ownVariables.dark },
    },
    ':root',
  )
}

/** Surface colors, and text colors that are too pale in Mantine. */
const ownVariables: Record<'light' | 'dark', ReturnType<CSSVariablesResolver>['light']> = {
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#17211b',
    '--mantine-color-dimmed': '#56635b',
    '--mantine-color-placeholder': '#66736b',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default-border': '#d3dad6',
    '--mantine-color-red-light-hover': 'var(--mantine-color-red-1)',
    '--mantine-color-yellow-light-color': '#7a4b00',
    '--surface-page': '#f4f6f5',
    '--surface-raised': '#ffffff',
    '--surface-hover': '#f1f5f3',
    '--line': '#dfe5e1',
    '--chart': '#2aa268',
  },
  dark: {
    '--mantine-color-body': '#191f1c',
    '--mantine-color-text': '#edf2ef',
    '--mantine-color-dimmed': '#a4b1aa',
    '--mantine-color-placeholder': '#8b9891',
    // The neutral grays of Mantine, in the tone of the surfaces.
    '--mantine-color-dark-4': '#3d4842',
    '--mantine-color-dark-5': '#2a332f',
    '--mantine-color-dark-6': '#212925',
    '--mantine-color-dark-7': '#191f1c',
    '--mantine-color-red-light': '#3a2220',
    '--mantine-color-red-light-color': '#ff9a93',
    '--mantine-color-red-outline': '#ff9a93',
    '--mantine-color-error': '#ff9a93',
    '--mantine-color-default': '#212925',
    '--mantine-color-default-hover': '#2a332f',
    '--mantine-color-default-border': '#3d4842',
    '--surface-page': '#101412',
    '--surface-raised': '#191f1c',
    '--surface-hover': '#212a25',
    '--line': '#303a35',
    '--chart': '#3db87a',
  },
}
