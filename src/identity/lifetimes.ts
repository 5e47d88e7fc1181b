import type { IdentitySettings } from './settings.ts'

type LifetimeSettings = Pick<
  IdentitySettings,
  'ACCESS_TOKEN_EXPIRE_MINUTES' | 'REFRESH_TOKEN_EXPIRE_DAYS' | 'ADMIN_TOKEN_EXPIRE_MINUTES'
>

/** Returns the lifetimes of access tokens, sessions and admin tokens, in seconds. */
export function lifetimesOf(settings: LifetimeSettings) {
  return {
    access: settings.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
    refresh: settings.REFRESH_TOKEN_EXPIRE_DAYS * 86_400,
    admin: settings.ADMIN_TOKEN_EXPIRE_MINUTES * 60,
  }
}
