import { hasFeature } from '../settings.ts'
import type { IconName } from '../ui/icon.tsx'

/**
 * The screens in the navigation and the command palette. Pressing G and then `key` opens a screen.
 */
export const screens = [
  { to: '/', label: 'Overview', icon: 'home', key: 'o' },
  { to: '/people', label: 'People', icon: 'users', key: 'p' },
  { to: '/workspaces', label: 'Workspaces', icon: 'building', key: 'w' },
  { to: '/resources', label: 'Resources', icon: 'file', key: 'r' },
  { to: '/service-apps', label: 'Service apps', icon: 'key', key: 's' },
  { to: '/client-apps', label: 'Client apps', icon: 'window', key: 'c' },
  { to: '/management-apps', label: 'Management apps', icon: 'terminal', key: 'm' },
  ...(hasFeature('consent')
    ? ([{ to: '/connected-apps', label: 'Connected apps', icon: 'share', key: 'n' }] as const)
    : []),
  ...(hasFeature('delegations')
    ? ([{ to: '/delegations', label: 'Delegations', icon: 'robot', key: 'd' }] as const)
    : []),
  ...(hasFeature('webhooks')
    ? ([{ to: '/webhooks', label: 'Webhooks', icon: 'send', key: 'h' }] as const)
    : []),
  { to: '/activity', label: 'Activity', icon: 'activity', key: 'a' },
  ...(hasFeature('csv-import')
    ? ([{ to: '/import', label: 'Import', icon: 'upload', key: 'i' }] as const)
    : []),
] as const satisfies { to: string; label: string; icon: IconName; key: string }[]
