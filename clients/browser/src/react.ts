/** Hooks for React. */
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react'
import type { CheckOptions, DaikonBrowser, Resource, User } from './api.ts'
import type { DaikonError } from './errors.ts'
import { createPermissionStore, type PermissionStore, permissionKey } from './permission-store.ts'

type Context = { daikon: DaikonBrowser; permissions: PermissionStore }

const DaikonContext = createContext<Context | undefined>(undefined)

export type DaikonProviderProps = {
  /** A client that is created once, outside of components. */
  daikon: DaikonBrowser
  /** Called if the sign-in of a callback fails. By default, the error is logged. */
  onError?: ((error: DaikonError) => void) | undefined
  children?: ReactNode
}

/** Starts the client and provides it to the hooks in `children`. */
export function DaikonProvider({
  daikon,
  onError = console.error,
  children,
}: DaikonProviderProps): ReactElement {
  const value = useMemo(() => ({ daikon, permissions: createPermissionStore(daikon) }), [daikon])
  useEffect(() => {
    let isMounted = true
    daikon.start().catch((error) => isMounted && onError(error))
    return () => {
      isMounted = false
    }
  }, [daikon])
  return createElement(DaikonContext.Provider, { value }, children)
}

function useDaikonContext(): Context {
  const context = useContext(DaikonContext)
  if (context) return context
  throw new Error('This hook needs a <DaikonProvider> above the component')
}

/** Returns the client of the provider. */
export function useDaikon(): DaikonBrowser {
  return useDaikonContext().daikon
}

/** Returns the signed-in user; `null` if no user is signed in, `undefined` until that is known. */
export function useUser(): User | null | undefined {
  const { daikon } = useDaikonContext()
  const subscribe = useCallback((listener: () => void) => daikon.subscribe(listener), [daikon])
  return useSyncExternalStore(
    subscribe,
    () => daikon.user,
    () => undefined,
  )
}

/**
 * Returns whether the user may perform the action; `undefined` until that is known, or without a
 * resource. Checks again when the user's permissions may have changed, when the user, the workspace or the
 * visibility of the page changes, and on `recheckPermissions()`.
 */
export function useCan(
  action: string,
  resource: Resource | undefined,
  options?: CheckOptions,
): boolean | undefined {
  const { permissions } = useDaikonContext()
  const key = resource && permissionKey(action, resource, options)
  const subscribe = useCallback(
    (listener: () => void) => (key ? permissions.subscribe(key, listener) : () => {}),
    [permissions, key],
  )
  return useSyncExternalStore(
    subscribe,
    () => (key ? permissions.read(key) : undefined),
    () => undefined,
  )
}
